"""Exact algebra: polynomials and their quotients in generators that stand for real numbers, and real roots.

`polynomials` has the arithmetic, greatest common divisors and factors, `relations` and `quotients` the normal form of
what is made of generators with relations such as r^2 = u, and `roots` where a polynomial in one variable is 0.
"""
