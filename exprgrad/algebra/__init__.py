"""Exact algebra: polynomials and their quotients in generators that stand for real numbers, and real roots.

`polynomials` has the arithmetic, greatest common divisors and factors, `field` the elements that are quotients
of polynomials, with relations such as r^2 = u, and `roots` where a polynomial in one variable is 0. Proofs and the
formulas that are shown work on the same elements.
"""
