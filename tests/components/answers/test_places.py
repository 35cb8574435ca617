from collections.abc import Sequence
from typing import Any

import pytest
from haystack import Document

from khub.components.answer import Preference
from khub.components.answers.places import by_score, by_turns, falling_shares, preferred, spread

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


def test_the_sides_take_turns_each_with_its_best_passage_first() -> None:
    documents = [
        passage("c1", "Chroma writers"), passage("c2", "Chroma locks"), passage("c3", "chroma"),
        passage("q1", "Qdrant"), passage("q2", "Qdrant writers"),
    ]  # fmt: skip

    assert ids(by_turns(documents, SIDES)) == ["c1", "q1", "c2", "q2", "c3"]
    assert ids(by_turns(documents, SIDES[::-1])) == ["q1", "c1", "q2", "c2", "c3"]


def test_a_passage_of_no_side_keeps_its_rank_behind_the_first_of_each_side() -> None:
    documents = [
        passage("n1", "writers"),
        passage("c1", "Chroma"),
        passage("q1", "Qdrant"),
        passage("n2"),
        passage("c2", "Chroma"),
    ]

    assert ids(by_turns(documents, SIDES)) == ["c1", "q1", "n1", "n2", "c2"]


def test_a_passage_about_both_sides_is_shown_once() -> None:
    documents = [passage("both", "Chroma and Qdrant"), passage("c1", "Chroma"), passage("q1", "Qdrant")]

    assert ids(by_turns(documents, SIDES)) == ["both", "q1", "c1"]


def test_a_passage_that_only_mentions_a_side_does_not_belong_to_it() -> None:
    sides = ["Qdrant search engine", "Chroma vector store"]
    documents = [passage("c1", "The Chroma vector store, unlike Qdrant"), passage("q1", "The search engine Qdrant")]

    assert ids(by_turns(documents, sides)) == ["q1", "c1"]


def test_the_title_and_the_section_tell_the_side_too() -> None:
    documents = [
        passage("c1", "locks", title="Chroma"),
        passage("c2", "Chroma"),
        passage("q1", "locks", section="Stores > Qdrant"),
    ]

    assert ids(by_turns(documents, SIDES)) == ["c1", "q1", "c2"]


def test_chinese_sides_of_three() -> None:
    sides = ["向量检索的延迟", "关键词检索的延迟", "重排序的延迟"]
    documents = [
        passage("v1", "向量检索很快"),
        passage("v2", "向量检索"),
        passage("r1", "重排序慢"),
        passage("k1", "关键词更快"),
    ]

    assert ids(by_turns(documents, sides)) == ["v1", "k1", "r1", "v2"]


@pytest.mark.parametrize("sides", [SIDES, ["writers", "writers"], ["writers", "many writers"]])
def test_without_a_sides_own_words_the_order_stays(sides: list[str]) -> None:
    documents = [passage("a", "another language"), passage("b", "writers")]

    assert by_turns(documents, sides) is documents


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
