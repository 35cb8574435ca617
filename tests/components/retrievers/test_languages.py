import pytest
from haystack import Document

from khub.components.errors import GraphError
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.retrievers.languages import joined
from khub.components.retrievers.sparse_retriever import SparseRetriever

pytestmark = pytest.mark.unit


def found(**scores: float) -> list[Document]:
    return [Document(id=id_, content=id_, score=score) for id_, score in scores.items()]


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def test_what_is_new_takes_its_place_by_score() -> None:
    assert ids(joined(found(a=0.9, b=0.2), found(c=0.5, a=0.9), in_turns=False)) == ["a", "c", "b"]


def test_what_stands_in_turns_keeps_its_order() -> None:
    assert ids(joined(found(b=0.2, a=0.9), found(c=0.5, d=0.7), in_turns=True)) == ["b", "a", "d", "c"]
    assert ids(joined(found(b=0.2, a=0.9), found(a=0.9), in_turns=False)) == ["b", "a"]


@pytest.mark.parametrize("retriever", [DenseRetriever, SparseRetriever])
def test_a_negative_number_of_chunks_is_refused(retriever: type) -> None:
    with pytest.raises(GraphError, match=f"{retriever.__name__} has per_language=-1"):
        retriever(per_language=-1)
