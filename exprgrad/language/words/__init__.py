"""Questions in words.

`formulas` reads words of arithmetic, `conditionals` the cases of other programs, `tasks` finds the command that does
a task.
"""
