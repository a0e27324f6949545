"""Proofs that an expression is 0: rational functions of atoms, brought to a normal form.

`identity.vanishes` is what others call. It imports from `errors`, `operations` and `graph`, and knows nothing of
`notation`.
"""
