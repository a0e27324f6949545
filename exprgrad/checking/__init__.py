"""Claimed derivatives: whether one is right, where it is wrong, and which mistake gives just what was claimed.

`check.check` and `check.equivalent` are what others call; both return data. It may import expressions and what
stands below them; it knows nothing of data and optimize, which stand beside it.
"""
