"""Derivatives as formulas: taken by the table's rules, simplified, and derived step by step.

`derivative` differentiates a graph, `simplify` tidies it through canonical `forms`, `steps` explains it. It imports
from `errors`, `operations`, `graph` and `notation`.
"""
