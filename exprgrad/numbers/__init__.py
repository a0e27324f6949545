"""The number types that the rules of the table run on, a file each."""
