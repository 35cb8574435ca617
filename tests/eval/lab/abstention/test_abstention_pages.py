"""The confidence fitted and measured on documents with pages, and the questions that it is."""

import json
from pathlib import Path

import pytest

from components.answers.confidence import FOUND, Signs
from eval.lab.abstention.pages import FALSE_ALARMS, HALVES, KINDS, QUESTIONS, Seen, figures
from eval.lab.abstention.pages_report import markdown
from eval.pages.question_set import read_page_set

pytestmark = pytest.mark.unit


def seen(half: str) -> list[Seen]:
    """Return questions with an answer, whose words are met, and others; one of either is taken for the other."""

    def one(kind: str, lacking: float, found: bool) -> Seen:
        return Seen(("papers", "all"), kind, half, found, Signs(lacking, lacking / 7, 0.1, 5.0))

    answered = [one("answered", 0.1 + place / 1000, place != 0) for place in range(99)]
    others = [one(kind, 0.8 + place / 1000, False) for place in range(24) for kind in ("near miss", "elsewhere")]
    return [*answered, one("answered", 1.5, True), *others, one("near miss", 0.15, False), one("elsewhere", 0.8, False)]


def test_what_is_fitted_on_one_half_is_measured_on_the_other() -> None:
    found = figures([*seen("calibration"), *seen("test")])["fitted"]

    assert found["coefficients"][0] < 0
    assert 0 < found["bound"] < FOUND
    shares = found["halves"]["test"]["groups"]["papers, all"]
    assert shares["answered"] <= FALSE_ALARMS
    assert shares["near miss"] == pytest.approx(24 / 25)
    assert shares["elsewhere"] == 1


def test_the_error_is_how_far_the_confidence_is_from_what_came_true() -> None:
    certain = [
        Seen(("a", "all"), "answered", half, place < 3, Signs(0, 0, 0.3, 9))
        for half in HALVES
        for place in (1, 2, 3, 4)
    ]
    measured = figures([*certain, *seen("calibration")])["shipped"]["halves"]["test"]

    (last,) = measured["bins"]
    assert last["questions"] == 4
    assert last["found"] == 0.5
    assert measured["error"] == pytest.approx(last["confidence"] - 0.5)


def test_the_report_has_a_row_for_each_scope_and_way() -> None:
    results = figures([*seen("calibration"), *seen("test")])
    about = {
        "machine": "2 cores",
        "date": "2026-01-01",
        "graph": "query",
        "signs": list(Signs._fields),
        "questions": 300,
    }

    text = markdown({**about, **results})

    assert text.count("| papers, all |") == 6
    assert f"half `test`: {results['shipped']['halves']['test']['error']:.3f}" in text


def test_half_of_the_questions_have_no_answer_and_no_document_is_in_both_halves(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    sources = {place["source"] for row in rows for place in row["evidence"]} | {
        r["source"] for r in rows if "source" in r
    }
    (tmp_path / "documents").mkdir()
    for source in sources:
        (tmp_path / "documents" / source).touch()
    (tmp_path / "questions.jsonl").write_bytes(QUESTIONS.read_bytes())
    questions = read_page_set(tmp_path).questions

    assert len({question.id for question in questions}) == len({question.text for question in questions}) == 240
    assert sum(question.answerable for question in questions) == 120
    for half in HALVES:
        assert [sum((row["kind"], row["half"]) == (kind, half) for row in rows) for kind in KINDS] == [60, 30, 30]
    about = {half: {source for source in sources if _is_of(rows, source, half)} for half in HALVES}
    assert not about["calibration"] & about["test"]
    assert len(sources) == 46


def _is_of(rows: list[dict], source: str, half: str) -> bool:
    return any(
        row["half"] == half and source in (row.get("source"), *(place["source"] for place in row["evidence"]))
        for row in rows
    )
