"""Proofs that an expression is 0: quotients of polynomials in atoms, brought to the normal form of `algebra`.

`identity.vanishes` is what others call. It imports from `operations`, `graph` and `algebra`, and knows nothing of
`notation`.
"""
