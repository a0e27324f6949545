"""The behaviour of an expression on one side of a point: germs, their coefficients, and what both sides decide."""
