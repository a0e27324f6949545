"""The computation graph: nodes with their values, the backward sweep, exact constants.

It imports from `errors` and `operations`.
"""
