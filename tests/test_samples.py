"""The sample scripts give what is on file; EXPRGRAD_UPDATE_GOLDEN=1 writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from exprgrad import Session
from exprgrad.cli.start import run
from tests.golden import compare

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
FOLDER = Path(__file__).resolve().parent / "samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.eg"))


@pytest.mark.parametrize("name", NAMES)
def test_sample_gives_what_is_on_file(name, capsys, monkeypatch):
    monkeypatch.chdir(SAMPLES)
    code = run(["run", f"{name}.eg"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    compare(FOLDER / f"{name}.txt", printed.out)


def test_every_output_belongs_to_a_sample():
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES
    assert len(NAMES) >= 10


def values(name: str) -> list[float]:
    results = Session().run((SAMPLES / f"{name}.eg").read_text(encoding="utf-8"))
    shown = [r for r in results if hasattr(r, "evaluation") and r.sweeps is None]
    return [r.evaluation.value for r in shown]


@pytest.mark.slow
def test_samples_agree_with_the_literature():
    assert values("square") == [49]
    assert values("shared") == [26]
    assert values("logistic_loss")[-1] == 1
    assert values("van_der_waals")[-1] == 1
    assert values("rosenbrock")[-1] == 0
    session = Session()
    session.run((SAMPLES / "black_scholes.eg").read_text(encoding="utf-8"))
    # the equation of Black and Scholes, r*C = theta + r*S*delta + s^2*S^2*Gamma/2
    check = "0.05*call(100, 95, 0.05, 0.2, 0.5) - theta - 5*delta - 0.02*100^2*Gamma"
    found = session.run(check)[0]
    assert abs(found.evaluation.value) < 1e-12
