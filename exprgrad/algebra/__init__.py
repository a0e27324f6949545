"""Polynomials with whole coefficients over FLINT: arithmetic, common divisors, factors, real roots.

`polynomials` has those in several generators, `roots` where one in a single variable is 0.
"""
