import pytest

from khub.eval.pages.metrics import applies_to, measures_of
from khub.eval.pages.question_set import Question

pytestmark = pytest.mark.unit


def question(*evidence, answerable=True):
    return Question("q", "?", answerable, evidence)


def test_pages_of_the_first_passages():
    passages = [["a", 1], ["a", 1], ["b", 7], ["a", None], ["c", 1], *[["d", i] for i in range(20)]]
    found = measures_of(question(("a", 1), ("c", 1), ("d", 5), ("e", 2)), passages)
    assert found == {
        "recall@1": 0.25, "recall@5": 0.5, "recall@10": 0.5, "recall@20": 0.75, "hit@10": 1.0, "documents@10": 0.75,
    }  # fmt: skip


def test_the_right_page_of_another_document_is_wrong():
    assert set(measures_of(question(("a", 1)), [["b", 1], ["a", 2]]).values()) == {0.0, 1.0}
    assert measures_of(question(("a", 1)), [["b", 1], ["a", 2]])["recall@20"] == 0


def test_only_questions_with_evidence_are_measured():
    assert applies_to(question(("a", 1)))
    assert not applies_to(question())
    assert not applies_to(question(("a", 1), answerable=False))
