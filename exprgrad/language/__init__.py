"""Source text to a graph: scanner, LALR driver, builder, and notes on how the text was read.

`parser.read` reads an expression, `parser.read_bindings` a list of values; `complaints` words what is wrong.
May import errors, operations, graph, notation and symbolic, since a derivative in a text is taken as it is read.
"""
