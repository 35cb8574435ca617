"""What counts as right: a passage of the right file that holds the answer, and a mark on the line that answers."""

import pytest

from khub.components.answer import Answer, Citation
from khub.eval.lab.answers.golden import figures
from khub.eval.lab.answers.measure import (
    Row,
    calibration_error,
    found,
    holds,
    is_doubted,
    reliability,
    sides,
    summary,
)
from khub.eval.lab.answers.sets import KINDS, Case, Place, read_cases

pytestmark = pytest.mark.unit

PLACE = Place("office/a.md", 1, ("24 months",))
RIGHT = Citation(1, "c1", source="/home/docs/office/a.md", text="It is | **24  months** |", evidence="It is 24 months")
WRONG = Citation(2, "c2", source="/home/docs/office/b.md", text="24 months", evidence="24 months")


def test_white_space_and_marks_of_markdown_do_not_count():
    assert holds("| **24  Months** |", PLACE)
    assert not holds("2 4 weeks", PLACE)


def test_only_a_passage_of_the_right_file_counts():
    case = Case("x", "How long?", "choose", [PLACE])
    assert found(Answer("", confidence=0.9, citations=[WRONG, RIGHT]), case) == {
        "document": False, "first": False, "five": True, "doubted": False, "confidence": 0.9, "passages": 2,
        "marked": True, "begins": False,
    }  # fmt: skip
    assert "marked" not in found(Answer("", citations=[WRONG]), case)


def test_every_side_has_to_be_shown():
    other = Place("office/b.md", 1, ("24 months",))
    case = Case("x", "Which is longer?", "choose", [PLACE, other])
    assert sides(Answer("", citations=[RIGHT]), case) == {"all": False, "some": True}
    assert sides(Answer("", citations=[RIGHT, WRONG]), case) == {"all": True, "some": True}


@pytest.mark.parametrize(
    ("abstained", "confidence", "doubted"), [(True, 0.9, True), (False, 0.4, True), (False, 0.6, False)]
)
def test_an_answer_is_doubted_if_it_abstains_or_is_unsure(abstained, confidence, doubted):
    assert is_doubted(Answer("", abstained=abstained, confidence=confidence)) is doubted


@pytest.mark.parametrize("kind", KINDS)
def test_no_document_is_in_both_halves(kind):
    halves = [
        {place.file for case in read_cases(kind, half) for place in case.places} for half in ("choose", "measure")
    ]
    assert all(halves)
    assert not halves[0] & halves[1]


def test_figures_are_means_and_verdicts_are_counted():
    rows = [Row("a", {"first": True, "supported, agrees": True}), Row("b", {"first": False})]
    assert summary({"claims": rows}) == {"claims": {"n": 2, "first": 0.5, "supported, agrees": 1}}


def test_what_is_said_is_compared_with_what_is_right():
    right, wrong = Row("a", {"confidence": 0.95, "five": True}), Row("b", {"confidence": 0.85, "five": False})
    near = Row("c", {"confidence": 0.05})
    bins = reliability({"plain": [right, wrong], "para": [], "near": [near]})
    assert [(one["n"], one["right"]) for one in bins] == [(1, 0), (1, 0), (1, 1)]
    assert calibration_error(bins) == pytest.approx((0.05 + 0.85 + 0.05) / 3)


def test_a_mark_of_a_golden_question_is_right_if_it_and_the_evidence_hold_each_other():
    asked = {"answerable": True, "evidence": "It lasts 24 months", "answer": "24 months"}
    text = "The cover is blue. It lasts **24 months**."

    def marked(evidence):
        return figures(
            Answer("", confidence=0.9, citations=[Citation(1, "c", text=text, evidence=evidence)]), asked
        ).marked

    assert [marked(e) for e in ("It lasts 24 months.", "lasts 24 months", "The cover is blue.", "")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert figures(Answer("", citations=[]), asked).marked is None
