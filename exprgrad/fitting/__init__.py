"""Fitting a model to columns of data: least squares, other losses, standard errors.

It imports from the folders up to `optimize`, and neither from `grading` nor from `session`. `fit` at its top chooses
between least squares and the descents of `optimize`. Nearly all of it needs NumPy and SciPy.
"""
