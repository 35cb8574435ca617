from collections.abc import Sequence
from typing import Any

import pytest
from haystack import Document

from khub.components.answer import Preference
from khub.components.answers.places import by_score, falling_shares, preferred, spread

pytestmark = pytest.mark.unit


def passage(id_: str, content: str = "text", score: float | None = 0.5, **meta: Any) -> Document:
    return Document(id=id_, content=content, score=score, meta=meta)


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def test_further_passages_of_a_document_go_behind_all_others_and_none_is_lost() -> None:
    documents = [passage(id_, doc_id=id_[0]) for id_ in ("a1", "a2", "a3", "b1", "a4", "c1", "b2")]

    assert ids(spread(documents, 1)) == ["a1", "b1", "c1", "a2", "a3", "a4", "b2"]
    assert ids(spread(documents, 2)) == ["a1", "a2", "b1", "c1", "b2", "a3", "a4"]
    assert ids(spread(documents, 9)) == ids(documents)


SIDES = ["How does Chroma handle writers?", "How does Qdrant handle writers?"]


def prefer(documents: list[Document], kind: str, value: str | None = None, weight: float = 0.15) -> list[str]:
    return in_order(documents, [Preference(kind, value, "w")], weight)


def in_order(
    documents: list[Document], preferences: list[Preference], weight: float, terms: Sequence[str] = ()
) -> list[str]:
    return ids(by_score(documents, preferred(documents, falling_shares(documents), preferences, terms, weight)))


def test_the_newest_gains_and_the_oldest_does_not() -> None:
    documents = [
        passage("old", score=0.9, modified="2019-05-01T10:00:00Z"),
        passage("none", score=0.86),
        passage("mid", score=0.85, created="2022"),
        passage("new", score=0.80, ingested_at="2024-03-09"),
        passage("last", score=0.0),
    ]

    assert prefer(documents, "newest") == ["new", "mid", "old", "none", "last"]
    assert prefer(documents, "newest", weight=0.05) == ["old", "mid", "none", "new", "last"]
    assert prefer(documents, "newest", weight=0.0) == ids(documents)


def test_the_document_s_own_date_comes_before_the_day_it_came_in() -> None:
    documents = [
        passage("a", score=0.9, modified="2020-01-01", ingested_at="2025-01-01"),
        passage("b", score=0.9, modified="2021-01-01", ingested_at="2024-01-01"),
        passage("c", score=0.1, modified="not a date"),
    ]

    assert prefer(documents, "newest") == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("source", "Handbook"), ("title", "staff handbook"), ("doc_type", "PDF"), ("title", "guide.pdf")],
)
def test_what_is_preferred_moves_forward_and_excludes_nothing(kind: str, value: str) -> None:
    title = None if value == "guide.pdf" else "The Staff Handbook"
    wanted = passage("b", score=0.85, source="/x/handbook/guide.pdf", title=title, doc_type="pdf")
    documents = [
        passage("a", score=0.9, source="/x/y.md", title="Notes", doc_type="markdown"),
        wanted,
        passage("c", score=0),
    ]

    assert prefer(documents, kind, value) == ["b", "a", "c"]
    assert prefer(documents, kind, value, weight=0.01) == ["a", "b", "c"]
    assert prefer(documents, kind, None) == ["a", "b", "c"]
    assert prefer(documents, "unknown", value) == ["a", "b", "c"]


YEAR = Preference("year", "2023", "2023")


@pytest.mark.parametrize(
    ("terms", "preferences", "expected"),
    [
        (["2023", "inventori"], [YEAR], ["b", "c", "a"]),
        (["costco", "2023", "inventori"], [YEAR], ["a", "b", "c"]),
        (["best", "buy", "costco", "2023"], [YEAR], ["c", "a", "b"]),
        (["costco", "inventori"], [], ["b", "c", "a"]),
    ],
)
def test_the_name_of_a_document_weighs_and_a_year_within_what_is_named(
    terms: list[str], preferences: list[Preference], expected: list[str]
) -> None:
    documents = [
        passage("b", score=0.9, source="/x/TARGET_2023.pdf"),
        passage("c", score=0.89, source="/x/BEST-BUY_2023.pdf"),
        passage("a", score=0.85, source="/x/COSTCO_2021.pdf"),
        passage("last", score=0.0),
    ]

    assert in_order(documents, preferences, 0.15, terms)[:3] == expected


def test_a_preference_does_not_lift_a_passage_that_has_little_to_do_with_the_question() -> None:
    documents = [
        passage("a", score=0.9, doc_type="html"),
        passage("b", score=0.2, doc_type="pdf"),
        passage("c", score=0.1),
    ]

    assert prefer(documents, "doc_type", "pdf") == ["a", "b", "c"]


def test_the_scale_of_the_scores_does_not_matter_nor_an_order_that_they_did_not_make() -> None:
    fused = [passage("a", score=0.0325), passage("b", score=0.032, doc_type="pdf"), passage("c", score=0.016)]
    moved = [passage("a", score=0.2), passage("b", score=0.9, doc_type="pdf"), passage("c", score=None)]

    assert prefer(fused, "doc_type", "pdf") == ["b", "a", "c"]
    assert prefer(moved, "doc_type", "html") == ["a", "b", "c"]


def test_several_preferences_add_up() -> None:
    documents = [
        passage("a", score=0.9, doc_type="pdf"),
        passage("b", score=0.8, doc_type="pdf", title="Plan"),
        passage("c", score=0),
    ]
    both = [Preference("doc_type", "pdf", ""), Preference("title", "plan", "")]

    assert in_order(documents, both, 0.15) == ["b", "a", "c"]
