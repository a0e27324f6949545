"""Proofs that an expression is 0: rational functions of atoms, brought to a normal form.

`identity.vanishes` is what others call. The quotients are those of `algebra`.
`notation`.
"""
