"""What is true at a point, by mpmath alone: values of every row of the table, and derivatives by differences.

Nothing here is imported from the package. `functions` says what each operation is over the real numbers,
`trees` writes random expressions and points, `truth` finds value and slopes from both sides, `judge`
compares an answer with them. By hand:

    python -m tests.oracle --points 100000
"""
