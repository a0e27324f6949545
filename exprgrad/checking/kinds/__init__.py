"""Other questions than for a derivative formula: implicit, tangent, critical points, Taylor; asked and worked out."""
