"""The objects that users hold: an expression that can be evaluated, differentiated, traced and compiled.

It imports from every folder below, of which `language` is the last.
"""
