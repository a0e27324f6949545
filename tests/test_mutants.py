"""The mutants that `python -m tests.mutants` draws are programs, and other programs than the package."""

import ast

import pytest

from tests.mutants import FOLDERS, ROOT, drawn


@pytest.mark.slow
def test_mutants_are_other_programs() -> None:
    for mutant in drawn(40, 1, [*FOLDERS]):
        source = (ROOT / mutant.path).read_bytes()
        assert ast.dump(ast.parse(mutant.text(source))) != ast.dump(ast.parse(source)), str(mutant)  # fmt: skip


@pytest.mark.slow
def test_the_same_seed_draws_the_same_mutants() -> None:
    assert drawn(5, 2, ["sweeps"]) == drawn(5, 2, ["sweeps"])
    assert drawn(5, 2, ["sweeps"]) != drawn(5, 3, ["sweeps"])
