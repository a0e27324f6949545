"""Worked solutions, judged line by line."""
