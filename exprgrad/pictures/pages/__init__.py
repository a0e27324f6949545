"""Pages that a browser shows: the walk through both sweeps, and the frame that other pages share."""
