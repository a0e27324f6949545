"""Homework on paper: sheets and class sets are read, their answers checked, and the grades returned as data.

It may import checking and data, and what stands below them; it knows nothing of fitting and session,
which stand beside it.
"""
