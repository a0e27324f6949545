"""The command line: one file per command, the options that they share, and the start of the program.

It may import everything, and nothing imports it. It is the only folder that imports typer and that
mentions options or commands of the program.
"""
