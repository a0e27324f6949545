"""Sessions: definitions, statements and commands, as the REPL and script files run them; all of it data.

`session.Session` runs a text; `commands` is the table of commands, `statements` reads what is not a command.
It imports from the folders up to `optimize`, and neither from `grading` nor from `fitting`; it draws nothing.
"""
