"""What an expression does on one side of a point: germs, their coefficients, and what both sides decide."""
