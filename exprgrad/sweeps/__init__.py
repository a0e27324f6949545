"""A graph as a tape, and what is swept over it: values and adjoints, in doubles, balls, germs at corners and arrays.

It imports from `errors`, `operations` and `graph`.
"""
