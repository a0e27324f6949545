"""The editor of a session: what happens on a terminal while a line is typed, by prompt_toolkit."""
