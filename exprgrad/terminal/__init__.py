"""The line editor of a session: what happens on a terminal while a line is typed.

It may import session, views and what stands below them, and is the only folder that imports
prompt_toolkit.
"""
