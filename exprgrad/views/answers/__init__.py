"""Values, derivatives, traces, pictures and descents as a terminal shows them."""
