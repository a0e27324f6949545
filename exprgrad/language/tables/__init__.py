"""The parse tables of the grammars, each written by `python -m exprgrad.language.grammar`."""
