"""A graph as text that parses back to it, as LaTeX, and as Python code.

How an operation is written is a field of its row; here its operands are put in, with brackets where they are needed.
It imports from `errors`, `operations` and `graph`.
"""
