"""Sweeps in balls: both at once, written out for speed, sides of kinks, power series and tangents."""
