"""Numbers from outside: points and grids as typed, tables in files, batches over their rows, processes.

It reads and writes files and returns data, without printing. It may import expressions and what stands
below them; it knows nothing of checking and optimize, which stand beside it.
"""
