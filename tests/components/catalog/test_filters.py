"""Filters in SQL keep what Haystack's own filter keeps, and nothing in them is ever run."""

import datetime
import sqlite3

import pytest
from haystack.errors import FilterError as HaystackFilterError
from haystack.utils.filters import document_matches_filter
from hypothesis import given, settings
from hypothesis import strategies as st

from components.catalog.catalog import Catalog
from components.catalog.filters import compile_filters
from components.errors import FilterError

pytestmark = pytest.mark.unit

NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, -1.5, 2.0]))
WORDS = st.sampled_from(["", "a", "b", "甲", "a'b", '"', "%", "1"])
DATES = st.sampled_from(["2024-01-01", "2024-06-30", "2025-12-31"])
FIELDS = {"n": NUMBERS, "m": NUMBERS, "w": WORDS, "d": DATES, "作者": WORDS, "flag": st.booleans(), "a.b c": WORDS}
METAS = st.fixed_dictionaries({}, optional=FIELDS)
ANY = st.one_of(NUMBERS, WORDS, DATES, st.booleans(), st.none())


def comparison(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def named(field):
    return st.sampled_from([f"meta.{field}", field]) if "." not in field else st.just(field)


def ordered(field):
    return st.builds(comparison, named(field), st.sampled_from([">", ">=", "<", "<="]), FIELDS[field])


EQUAL = st.sampled_from(["==", "!="])
LISTED = st.sampled_from(["in", "not in"])
ONE = st.one_of(
    st.sampled_from([k for k in FIELDS if "." not in k] + ["nothing"]).flatmap(
        lambda f: st.builds(comparison, named(f), EQUAL, ANY)
    ),
    st.sampled_from([k for k in FIELDS if "." not in k] + ["nothing"]).flatmap(
        lambda f: st.builds(comparison, named(f), LISTED, st.lists(ANY, max_size=4))
    ),
    st.sampled_from(["n", "m", "d"]).flatmap(ordered),
    st.builds(comparison, st.just("meta.page"), st.sampled_from(["==", "!=", ">", "<="]), st.integers(0, 3)),
    st.builds(comparison, st.just("meta.language"), st.sampled_from(["==", "!="]), st.sampled_from(["en", "zh"])),
    st.builds(comparison, st.just("meta.title"), LISTED, st.lists(st.one_of(WORDS, st.none()), max_size=2)),
    st.builds(comparison, st.just("content"), EQUAL, st.sampled_from(["text 0", "text 1"])),
)
FILTERS = st.recursive(
    ONE,
    lambda inner: st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)
DOCUMENTS = st.lists(
    st.tuples(METAS, METAS, st.sampled_from([None, 1, 2]), st.sampled_from(["en", "zh"]), st.sampled_from([None, "a"])),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def emptied(tmp_path_factory):
    """Return a function that gives an empty catalog, always the same file: making one takes long."""
    catalog = Catalog(tmp_path_factory.mktemp("filters"))
    catalog.collections.create("docs")

    def empty():
        with catalog.database.transaction() as connection:
            connection.execute("DELETE FROM chunks")
            connection.execute("DELETE FROM documents")
        return catalog

    return empty


def fill(catalog, draft, documents):
    for n, (common, own, page, language, title) in enumerate(documents):
        own = {k: v for k, v in own.items() if k not in common}
        new = draft(str(n), [f"text {n}"], extra=common, page=page, language=language, title=title, **own)
        catalog.chunks.stage(new)
        catalog.chunks.publish(new)


def expected(catalog, filters):
    return {d.id for d in catalog.chunks.visible("docs") if document_matches_filter(filters, d)}


@settings(max_examples=300, deadline=None)
@given(documents=DOCUMENTS, filters=FILTERS)
def test_sql_keeps_what_haystack_keeps(emptied, draft_document, documents, filters):
    catalog = emptied()
    fill(catalog, draft_document, documents)
    assert set(catalog.chunks.matching("docs", filters)) == expected(catalog, filters)


@pytest.fixture(scope="module")
def draft_document():
    from tests_catalog_draft import new_document  # noqa: PLC0415

    return new_document
