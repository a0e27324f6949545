"""A graph as a tape, and what is swept over it: values, adjoints, germs at corners, series.

It imports from `errors`, `operations` and `graph`.
"""
