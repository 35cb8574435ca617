import pytest
from haystack import Document

from khub.components.retrievers.interleave import interleaved

pytestmark = pytest.mark.unit


def found(**scores: float) -> list[Document]:
    return [Document(id=key, content=key, score=score) for key, score in scores.items()]


def names(documents: list[Document]) -> str:
    return "".join(d.id for d in documents)


def test_lists_take_turns_and_each_chunk_comes_once() -> None:
    lists = [found(a=9, b=8, c=7), found(d=3, a=2), found(e=5)]
    assert names(interleaved(lists, 10)) == "adebc"
    assert names(interleaved(lists, 3)) == "ade"


def test_the_highest_score_stays() -> None:
    first, second = found(a=1, b=4), found(b=3, a=2)
    assert {d.id: d.score for d in interleaved([first, second], 10)} == {"a": 2, "b": 4}
    assert first[0].score == 1  # what went in stays as it was


def test_one_list_stays_as_it_is() -> None:
    only = found(a=1, b=2)
    assert interleaved([only], 10) == only
    assert interleaved([[], []], 10) == []
