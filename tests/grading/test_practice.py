"""Practice: problems that can be asked, right and wrong answers, sheets, and what is remembered."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest

from exprgrad import ExprgradError, check
from exprgrad.cli.start import run
from exprgrad.grading.practice import (
    LEVELS,
    TOPICS,
    Exercise,
    distractors,
    exercise,
    hints,
)
from exprgrad.grading.progress import AFTER, Record

SEEDS = 6


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_many_problems_each_defined_on_an_interval(topic):
    made = [exercise(topic, 1 + seed % 3, seed) for seed in range(SEEDS)]
    assert len({own.problem for own in made}) >= SEEDS - 1
    for own in made:
        low, high = own.interval
        for at in (low, high):
            assert (
                own.function.evaluate({"x": at}, refine=False).gradient["x"] is not None
            )


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_the_official_answer_is_right_and_every_distractor_is_a_known_mistake(topic):
    own = exercise(topic, 2, 5)
    assert check(own.problem, own.answer, wrt="x").status == "correct"
    others = distractors(own, 2)
    assert len({other.answer for other in others}) == len(others) == 2
    for other in others:
        verdict = check(own.problem, other.answer, wrt="x")
        assert verdict.status == "incorrect"
        assert verdict.mistake.name == other.mistake


def test_the_same_seed_gives_the_same_problem():
    assert exercise("chain", 3, 7) == exercise("chain", 3, 7) != exercise("chain", 3, 8)


@pytest.mark.parametrize(("topic", "level"), [("chains", 1), ("chain", 4), ("", 1)])
def test_what_there_is_not_is_refused(topic, level):
    with pytest.raises(ExprgradError):
        exercise(topic, level)


def export(capsys, *arguments):
    assert run(["practice", "--export", "3", "--topic", "chain,product", *arguments]) == 0  # fmt: skip
    return capsys.readouterr().out


@pytest.mark.slow
def test_a_sheet_has_problems_and_answers(capsys):
    text = export(capsys)
    assert text.count("d/dx") == 3
    assert text == export(capsys, "--seed", "0") != export(capsys, "--seed", "1")
    assert export(capsys, "--format", "latex").count(r"\item") == 6


@pytest.mark.slow
def test_a_sheet_in_csv_can_be_graded(capsys):
    rows = list(csv.DictReader(io.StringIO(export(capsys, "--format", "csv"))))
    assert [row["topic"] for row in rows] == ["chain", "product", "chain"]
    for row in rows:
        wrong = [row[f"wrong {i}"] for i in (1, 2, 3)]
        assert len({row["answer"], *wrong}) == 4
        assert all(row[f"mistake {i}"] for i in (1, 2, 3))


@pytest.mark.slow
def test_a_sheet_in_moodle_xml_is_read_by_a_parser_of_its_own(capsys):
    quiz = ElementTree.fromstring(export(capsys, "--format", "moodle-xml"))
    assert (quiz.tag, len(quiz)) == ("quiz", 3)
    for question in quiz:
        assert question.get("type") == "multichoice"
        for path in ("name/text", "questiontext/text", "generalfeedback/text"):
            assert question.findtext(path)
        assert question.findtext("single") == "true"
        fractions = [float(a.get("fraction")) for a in question.findall("answer")]
        assert sorted(fractions) == [0, 0, 0, 100]
        assert len({a.findtext("text") for a in question.findall("answer")}) == 4
        assert r"\(" in question.findtext("questiontext/text")


@pytest.fixture
def answering(monkeypatch, tmp_path, capsys):
    """Practise with these lines as input; the exit code and what is printed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def practised(*lines, seed="3"):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{x}\n" for x in lines)))
        code = run(["practice", "--topic", "power", "--level", "1", "--seed", seed])
        return code, capsys.readouterr().out

    return practised


@pytest.mark.slow
def test_answers_are_judged_explained_and_what_was_missed_comes_back(
    answering, tmp_path
):
    first = exercise("power", 1, "3/0")
    code, out = answering(first.problem, "q")
    assert code == 1
    assert "0 of 1 correct" in out
    assert f"it is {first.answer}" in out
    made = [exercise("power", 1, f"4/{i}") for i in (1, 2)]
    code, out = answering(*(own.answer for own in made), first.answer, seed="4")
    assert f"3. d/dx ({first.problem})" in out
    assert code == 0
    assert Record.load(tmp_path / "exprgrad" / "practice.tsv").missed == []
    assert run(["practice", "--forget"]) == 0
    assert not (tmp_path / "exprgrad" / "practice.tsv").exists()


def test_the_second_try_may_be_right(answering):
    own = exercise("power", 1, "3/0")
    code, out = answering(own.problem, own.answer, "q")
    assert (code, "1 of 1 correct" in out) == (0, True)
    assert "it is" not in out


def test_the_third_wrong_answer_shows_the_derivative(answering):
    own = exercise("power", 1, "3/0")
    code, out = answering(own.problem, own.problem, "1", "q")
    assert out.count("1. d/dx") == 3
    assert out.count(f"it is {own.answer}") == 1
    assert (code, "0 of 1 correct" in out) == (1, True)


@pytest.mark.parametrize("word", ["skip", ""])
def test_a_problem_can_be_skipped(answering, word):
    own = exercise("power", 1, "3/0")
    code, out = answering(word, "q")
    assert f"it is {own.answer}" in out
    assert (code, "0 of 1 correct" in out) == (1, True)


def test_hints_name_the_rule_and_then_the_place(answering):
    _, out = answering("?", "?", "?", "q")
    first, second, third = (
        out.index(text) for text in ("use the power rule", "look at", "no more hints")
    )
    assert first < second < third
    assert list(hints(Exercise("chain", 2, "sin(x^2)", "", (0, 1)))) == [
        "use the chain rule",
        "look at sin(x^2): the inside is x^2",
    ]


def test_an_answer_that_cannot_be_read_is_asked_for_again(answering):
    code, out = answering("(", "q")
    assert out.count("1. d/dx") == 2
    assert (code, "0 of 0 correct" in out) == (0, True)


@pytest.mark.slow
def test_a_topic_with_mistakes_is_asked_more_often(tmp_path):
    record = Record()
    own, seed = record.next(["chain"], 1, "0")
    for _ in range(6):
        record.note(own, seed, right=False)
    assert record.missed[0].due == 6 + AFTER
    record.asked = 100
    record.missed = []
    drawn = [record.next(["chain", "power"], 1, f"s{i}")[0].topic for i in range(20)]
    assert drawn.count("chain") > 10
    record.save(tmp_path / "r.tsv")
    assert Record.load(tmp_path / "r.tsv").counts == record.counts


@pytest.mark.parametrize(
    "text", ["x", "asked\t1\t2", "asked\tx", "missed\tchain", "\0\xff"]
)
def test_a_record_that_cannot_be_read_is_an_empty_one(tmp_path, text):
    (tmp_path / "r.tsv").write_text(text)
    assert Record.load(tmp_path / "r.tsv").asked == 0
    assert Record.load(None).missed == []


def test_levels_are_those_of_the_command():
    assert LEVELS == (1, 2, 3)
    assert run(["practice", "--level", "4", "--export", "1"]) == 2
    assert run(["practice", "--format", "csv"]) == 2
