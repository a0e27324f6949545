"""Texts and their tokens: what is cut where, what is put in that was not typed, and how far an operator reaches."""
