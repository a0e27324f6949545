"""Proof that an expression is 0: rational functions over atoms, brought to a normal form."""
