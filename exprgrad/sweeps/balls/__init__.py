"""Sweeps in balls: both at once, written out for speed, power series and tangents."""
