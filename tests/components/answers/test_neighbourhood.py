from typing import Any

import pytest
from haystack import Document

from khub.components.answers.neighbourhood import REACH, behind_their_page, behind_what_they_list, with_neighbours

pytestmark = pytest.mark.unit


def passage(id_: str, **meta: Any) -> Document:
    return Document(id=id_, content=id_, meta={"doc_id": id_[0]} | meta)


def test_the_best_neighbour_of_the_same_document_counts() -> None:
    documents = [passage(id_, ordinal=ordinal) for id_, ordinal in {"a1": 10, "a2": 11, "a3": 12, "b1": 11}.items()]

    assert with_neighbours(documents, [0.2, 0.6, 1.0, 0.9], 0.5) == pytest.approx([0.7, 1.1, 1.3, 0.9])
    assert with_neighbours(documents, [0.2, 0.6, 1.0, 0.9], 0.1) == pytest.approx([0.3, 0.7, 1.06, 0.9])
    assert with_neighbours([], [], 0.5) == []


@pytest.mark.parametrize(("distance", "gain"), [(0, 0.0), (1, 0.5), (REACH, 0.5), (REACH + 1, 0.0), (-REACH, 0.5)])
def test_how_far_a_neighbour_may_be(distance: int, gain: float) -> None:
    documents = [passage("a1", ordinal=20), passage("a2", ordinal=20 + distance)]

    assert with_neighbours(documents, [0.0, 1.0], 0.5)[0] == gain


def test_passages_that_say_nothing_of_their_place_have_no_neighbours() -> None:
    documents = [passage("a1"), passage("a2", ordinal=1), Document(id="x", content="x", meta={"ordinal": 1})]

    assert with_neighbours(documents, [1.0, 0.5, 0.2], 0.5) == [1.0, 0.5, 0.2]


def test_the_further_passages_of_a_page_lose_more_each() -> None:
    pages = {"a1": 4, "a2": 4, "a3": 4, "a4": 5, "b1": 4, "c1": None, "c2": None}
    documents = [passage(id_, page=page) for id_, page in pages.items()]
    scores = [0.7, 0.9, 0.8, 0.1, 0.2, 0.3, 0.3]

    assert behind_their_page(documents, scores, 0.25) == pytest.approx([0.2, 0.9, 0.55, 0.1, 0.2, 0.3, 0.3])
    assert behind_their_page(documents, scores, 0.0) == scores


def test_of_equal_passages_of_a_page_the_first_stays() -> None:
    documents = [passage("a1", page=1), passage("a2", page=1)]

    assert behind_their_page(documents, [0.5, 0.5], 0.1) == [0.5, 0.4]


def test_a_passage_that_lists_what_stands_elsewhere_is_lowered_and_stays() -> None:
    listed = passage("a1")
    listed.meta["section_kind"] = "references"

    assert behind_what_they_list([listed, passage("b1")], [1.0, 0.9], 0.25) == pytest.approx([0.75, 0.9])
