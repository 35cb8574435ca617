import pytest

from khub.eval.cases import Case
from khub.eval.run.scoring import Scores
from khub.eval.run.worst import worst_questions

pytestmark = pytest.mark.unit

FOUND = {"relative_source": "b.md", "page": None, "section": "B", "text": "some  other\ntext"}


def worst(*rows):
    """Rows: answerable, answer, hit@10, ndcg@10, page accuracy."""
    cases = [
        Case.from_dict({"id": f"c{number}", "question": "?", **({"source": "a.md"} if row[0] else {})})
        for number, row in enumerate(rows)
    ]
    columns = {
        name: [row[place] for row in rows] for place, name in ((2, "hit@10"), (3, "ndcg@10"), (4, "page_accuracy"))
    }
    return worst_questions(cases, [row[1] for row in rows], Scores(columns, []))


def said(confidence=0.5, text="some  other\ntext"):
    return {"abstained": False, "confidence": confidence, "citations": [{**FOUND, "text": text}] * 5}


ABSTAINS = {"abstained": True, "confidence": 0.1, "citations": []}


def test_each_question_is_told_for_what_went_wrong():
    found = worst(
        (True, said(), 1, 1.0, 1.0),
        (True, said(), 1, 0.5, None),
        (True, said(), 1, 1.0, 0.0),
        (True, said(), 0, 0.0, None),
        (True, ABSTAINS, 0, 0.0, None),
        (False, ABSTAINS, None, None, None),
        (False, said(), None, None, None),
        (True, {"error": "it broke"}, None, None, None),
    )
    assert [(row["case_id"], row["problem"]) for row in found["worst"]] == [
        ("c7", "failed"),
        ("c3", "not found"),
        ("c4", "abstained, though there is an answer"),
        ("c6", "answered, though nothing answers it"),
        ("c2", "cited with a wrong page"),
        ("c1", "ranked low"),
    ]
    assert list(found["problems"].values()) == [1] * 6
    assert found["worst"][0]["error"] == "it broke"


def test_the_worst_of_a_problem_come_first_and_ten_at_most():
    found = worst(*((True, said(), 1, score / 20, None) for score in range(15, 0, -1)))
    assert [row["score"] for row in found["worst"]] == [score / 20 for score in range(1, 11)]
    assert found["problems"] == {"ranked low": 15}
    sure = worst((False, said(0.3), None, None, None), (False, said(0.9), None, None, None))
    assert [row["confidence"] for row in sure["worst"]] == [0.9, 0.3]


def test_what_was_found_instead_is_shown_short():
    [row] = worst((True, said(), 0, 0.0, None))["worst"]
    assert row["found"] == [{"source": "b.md", "page": None, "section": "B", "text": "some other text"}] * 3
    [row] = worst((True, said(text="x" * 500), 0, 0.0, None))["worst"]
    assert len(row["found"][0]["text"]) < 200
    assert row["found"][0]["text"].endswith("…")
