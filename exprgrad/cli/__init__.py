"""The command line: one file per command, and the program that runs them."""
