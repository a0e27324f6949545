"""Everything that is drawn. What is above returns data; here it becomes text.

A command's output is a list of blocks: headings, tables, notes. `layout` makes lines of them, `console`
draws these on a colour terminal, with rich; elsewhere they are written as they are, without it.
"""
