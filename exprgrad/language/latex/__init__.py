r"""LaTeX to a graph: `reader.read` reads a formula, `formulas` tells those of a line and what they name.

`tex` cuts a text into tokens and expands macros, `commands` says what the commands of TeX stand for, `tokens` settles
what takes more than the letters of a token, `arguments` where arguments without brackets end.
"""
