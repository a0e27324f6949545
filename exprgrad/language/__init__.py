"""Source text to a graph: scanner, LALR driver, builder, and notes on how the text was read.

`parser.read` reads an expression, `parser.read_bindings` a list of values; `complaints` words what is wrong.
It imports from `errors`, `operations`, `graph` and `notation`, and from `symbolic`, since derivatives in a text are
taken while it is read.
"""
