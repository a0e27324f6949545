"""Sessions: definitions, statements and commands, as the REPL and script files run them; all of it data.

`session.Session` runs a text; `commands` is the table of commands, `statements` reads what is not a command.
May import everything up to checking and optimize, but neither grading nor fitting, nor what draws.
"""
