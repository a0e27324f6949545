"""Minimising an expression: objectives, and descents that go through them step by step.

It imports from the folders up to `expressions`, and neither from `data` nor from `checking`. `minimize` at its top
chooses between the methods below it.
"""
