"""Verdicts, graded sheets, practice and audited documents as a terminal shows them."""
