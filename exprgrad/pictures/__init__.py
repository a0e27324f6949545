"""Pictures as data and text: the layout of graphs, curves, SVG and pages.

Nothing here is imported unless a picture is asked for, nothing draws in a terminal, and no picture needs a
program, a font or a network.
"""
