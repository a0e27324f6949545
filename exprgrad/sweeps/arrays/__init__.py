"""Tapes on arrays: values and gradients, bounds on their errors, tangents, elements and rows."""
