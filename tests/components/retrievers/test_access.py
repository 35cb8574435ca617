"""What `KHUB_ACCESS` does not open is found by neither leg, whatever the caller asks."""

import pytest

from khub.components.errors import FilterError
from khub.components.guard import Guard
from khub.components.query.query_filters import QueryFilters
from khub.components.question import Question
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.retrievers.sparse_retriever import SparseRetriever
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.integration

WORDS = "salary of the board"


@pytest.fixture
def shelf(library):
    library.add("/hr/open.md", [f"{WORDS} is public"], access_level="public", template=library.memory)
    library.add(
        "/hr/secret.md",
        [f"{WORDS} is secret", f"{WORDS} is secret as well"],
        access_level="secret",
        template=library.memory,
    )
    library.add("/hr/unmarked.md", [f"{WORDS} is unmarked"], template=library.memory)


def found(filters=None):
    """Return the words by which the passages of each leg differ."""
    question = Question(WORDS, WORDS, "books", filters, terms=tokenize(WORDS))
    legs = (DenseRetriever(top_k=5), SparseRetriever(top_k=5))
    return [{d.content.split(" is ")[1] for d in leg.run(question=question)["documents"]} for leg in legs]


def test_only_what_is_open_is_found(shelf, monkeypatch):
    everything = {"public", "secret", "secret as well", "unmarked"}
    assert found() == [everything, everything]
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert found() == [{"public"}, {"public"}]
    monkeypatch.setenv("KHUB_ACCESS", "public,secret")
    assert found() == [everything - {"unmarked"}] * 2
    monkeypatch.setenv("KHUB_ACCESS", "nobody")
    assert found() == [set(), set()]


def test_a_filter_is_no_way_round(shelf, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    anything = {"field": "meta.source", "operator": "glob", "value": "*"}
    assert found({"operator": "OR", "conditions": [anything, anything]}) == [{"public"}, {"public"}]
    assert found({"field": "meta.source", "operator": "==", "value": "/hr/secret.md"}) == [set(), set()]
    asked = "path:/hr/secret.md salary"
    (typed,) = QueryFilters().run(Question(asked, asked, "books"))["question"].applied_filters
    assert typed.dropped  # as if it were not there


@pytest.mark.parametrize("leg", [DenseRetriever(), SparseRetriever()])
def test_a_filter_that_names_the_level_is_an_error_of_the_caller(shelf, leg):
    own = {"field": "meta.access_level", "operator": "==", "value": "secret"}
    with pytest.raises(FilterError, match="not for callers"):
        Guard(leg, "leg").run(question=Question(WORDS, WORDS, "books", own, terms=tokenize(WORDS)))


def test_a_variable_without_a_level_is_an_error_and_opens_nothing(shelf, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "")
    with pytest.raises(FilterError, match="names no access level"):
        found()
