"""Everything that is drawn: results, which other folders return as data, become text here.

An output is a list of blocks: headings, tables, notes. `layout` turns them into lines, which `console`
draws on a colour terminal, with rich; elsewhere they are written plainly. A view offers a result in
several formats, and `formats` writes the one that is asked for. It may import every folder below it,
and is the only one that imports rich.
"""
