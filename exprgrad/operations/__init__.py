"""The table of operations, what a row of it is, and kernels on floats and arrays.

The number types that a rule of the table runs on are here too. It imports nothing but `errors`.
"""
