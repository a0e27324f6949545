"""The catalogue of mistakes, and which of them gives just what was claimed."""
