import json

import pytest
from haystack import Document

from components.answers.asked_number import asked_number
from components.answers.citation import citation, shown
from components.home import hub_home

pytestmark = pytest.mark.unit


def test_it_says_what_carries_the_match_and_where_it_stands_too() -> None:
    text = (
        "All is planned. The budget is 300.\n[IMAGE: d1_2_1]\nThe rest.\n[IMAGE: d1_2_2]\nFigure 2. The budget by year."
    )
    elsewhere = [{"doc_id": "d2", "source": "/docs/copy.pdf", "title": None, "page": 4}]
    context = {"before": "b", "after": "a", "section": ""}
    meta = {
        "doc_id": "d1", "source": "/docs/plan.pdf", "page": 2, "pages": [2, 3], "image_refs": ["d1_2_1", "d1_2_2"],
        "also_in": elsewhere, "context": context,
    }  # fmt: skip
    found = citation(3, Document(id="c1", content=text, score=0.5, meta=meta), {"budget": 1.0, "year": 1.0})

    assert (found["id"], found["title"], found["section"], found["ranks"]) == (3, "plan.pdf", "", {"fusion": 3})
    assert found["evidence"] == "Figure 2. The budget by year."
    assert found["evidence"] in found["text"]
    assert found["images"] == ["d1_2_2", "d1_2_1"]
    assert (found["also_in"], found["context"]) == (elsewhere, context)
    assert "pages" not in shown(found)
    json.dumps(shown(found), allow_nan=False)


def test_words_that_the_title_or_the_file_name_holds_choose_no_sentence() -> None:
    def evidence(**meta: str) -> str:
        text = "Travel plans and travel rules. The budget is 300."
        return citation(1, Document(content=text, meta=meta), {"travel": 1.0, "plan": 0.5, "budget": 1.2})["evidence"]

    assert evidence(title="Handbook", source="/docs/handbook.md") == "Travel plans and travel rules."
    assert evidence(title="Travel plans", source="/docs/handbook.md") == "The budget is 300."
    assert evidence(title="Handbook", source="/docs/travel-plans.md") == "The budget is 300."


def test_another_word_for_a_term_marks_the_sentence_and_no_other_does() -> None:
    text = "会议在周一。差旅预算为三百元。"
    others = {"budget": [(frozenset({"预算"}), 0.6)]}

    assert citation(1, Document(content=text), {"budget": 1.0}, others)["evidence"] == "差旅预算为三百元。"
    assert citation(1, Document(content=text), {"budget": 1.0})["evidence"] == ""


def test_a_question_for_a_number_marks_the_sentence_that_gives_one() -> None:
    document = Document(content="The budget of trips is small. The budget is 300.")
    weights = {"budget": 1.0, "trip": 0.5}

    assert (
        citation(1, document, weights, asked=asked_number("How much is the budget of trips?"))["evidence"]
        == "The budget is 300."
    )
    assert citation(1, document, weights)["evidence"] == "The budget of trips is small."


def test_a_forged_mark_names_no_picture() -> None:
    meta = {"doc_id": "d1", "image_refs": ["../../etc/passwd", "d2_1_1", "d1_1_1"]}

    assert citation(1, Document(content="x", meta=meta), {})["images"] == ["d1_1_1"]


def test_only_a_file_that_the_hub_has_fetched_is_shown_by_its_address() -> None:
    kept = str(hub_home() / "downloads" / "notes" / "1" / "page.html")

    def address(source: str) -> object:
        meta = {"doc_id": "d1", "source": source, "url": "https://example.com/birds/"}
        return citation(1, Document(content="x", meta=meta), {})["url"]

    assert address(kept) == "https://example.com/birds/"
    assert address("/docs/page.html") is None
