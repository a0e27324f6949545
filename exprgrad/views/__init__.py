"""Everything that is drawn. What is above returns data; here it becomes text.

A command's output is a list of blocks: headings, tables, notes. `plain` draws them without colour and
without rich; `console` draws them on a colour terminal, with rich.
"""
