"""Filters in SQL keep what Haystack's own filter keeps, and nothing in them is ever run."""

import datetime
import sqlite3

import pytest
from haystack.utils.filters import document_matches_filter
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.filters import compile_filters
from khub.components.errors import FilterError

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
def emptied(request, tmp_path_factory):
    """Return a function that gives an empty catalog, always the same: making one takes long."""
    url = request.getfixturevalue("new_database")() if request.config.getoption("--postgres") else ""
    catalog = Catalog(tmp_path_factory.mktemp("filters"), url)
    catalog.collections.create("docs")

    def empty():
        with catalog.database.transaction() as connection:
            connection.execute("DELETE FROM chunks")
            connection.execute("DELETE FROM documents")
        return catalog

    return empty


def fill(catalog, draft, documents):
    for n, (common, own, page, language, title) in enumerate(documents):
        rest = {k: v for k, v in own.items() if k not in common}
        new = draft(str(n), [f"text {n}"], extra=common, page=page, language=language, title=title, **rest)
        catalog.chunks.stage(new, "staged")
        catalog.chunks.publish(new)


def expected(catalog, filters):
    return {d.id for d in catalog.chunks.visible("docs") if document_matches_filter(filters, d)}


@settings(max_examples=150, deadline=None)
@given(documents=DOCUMENTS, filters=FILTERS)
def test_sql_keeps_what_haystack_keeps(emptied, draft, documents, filters):
    catalog = emptied()
    fill(catalog, draft, documents)
    assert set(catalog.chunks.matching("docs", filters)) == expected(catalog, filters)


@pytest.fixture
def shelf(catalog, publish):
    """Three documents, told apart by their titles."""
    publish("a", ["a"], extra={"year": 2020, "tag": "x"}, page=1)
    publish("b", ["b"], extra={"year": 2021, "tag": "y"}, page=5)
    publish("c", ["c"], extra={"note": "no year"})

    def titles(filters):
        found = catalog.chunks.fetch("docs", catalog.chunks.matching("docs", filters))
        return "".join(sorted(document.meta["title"] for document, _ in found.values()))

    return titles


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("==", 2020, "a"), ("!=", 2020, "bc"), (">", 2020, "b"), (">=", 2020, "ab"), ("<", 2021, "a"),
        ("<=", 2021, "ab"), ("in", [2020, 2021], "ab"), ("in", [], ""), ("not in", [2020], "bc"), ("not in", [], "abc"),
        ("==", None, "c"), ("!=", None, "ab"), ("in", [None, 2020], "ac"), ("not in", [None], "ab"),
        ("==", "2020", ""), (">", 1e300, ""),
    ],
)  # fmt: skip
def test_operators_and_missing_fields(shelf, operator, value, kept):
    assert shelf(comparison("meta.year", operator, value)) == kept
    assert shelf(comparison("year", operator, value)) == kept


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("==", "pump", "ab"), ("!=", "pump", "c"), ("in", ["valve", "x"], "a"), ("in", [None, "steel"], "bc"),
        ("not in", ["valve", "steel"], "c"), ("==", 7, "b"), ("==", "7", ""), ("==", "um", ""), ("==", None, "c"),
        ("in", [], ""), ("in", [float("inf")], ""),
    ],
)  # fmt: skip
def test_a_list_equals_each_of_its_elements(catalog, publish, shelf, operator, value, kept):
    publish("a", ["a"], extra={"tags": ["pump", "valve"]})
    publish("b", ["b"], tags=["pump", "steel", 7])  # of the chunk
    publish("c", ["c"], extra={"object": {"tags": "pump"}})
    assert shelf(comparison("meta.tags", operator, value)) == kept
    assert shelf(comparison("meta.object", "==", "pump")) == ""


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("doc_id", "?", ""), ("source", "/files/b.md", "b"), ("doc_type", "markdown", "abc"), ("title", "c", "c"),
        ("content", "a", "a"), ("section", "A > B", "abc"), ("page", 5, "b"), ("language", "en", "abc"),
        ("ordinal", 0, "abc"), ("size", 7, "abc"),
    ],
)  # fmt: skip
def test_columns_of_the_catalog(shelf, field, value, kept):
    assert shelf(comparison(f"meta.{field}", "==", value)) == kept


@pytest.mark.parametrize(
    ("field", "pattern", "kept"),
    [
        ("source", "*/files/?.md", "abc"), ("source", "\\\\files\\\\B.MD", ""), ("source", "\\files\\B.MD", "b"),
        ("source", "files", ""), ("title", "A", "a"), ("section", "*a > *", "abc"), ("section", "[A]*", ""),
        ("tag", "?", "ab"), ("nothing", "*", ""), ("year", "20*", "ab"),
    ],
)  # fmt: skip
def test_a_pattern(shelf, field, pattern, kept):
    assert shelf(comparison(f"meta.{field}", "glob", pattern)) == kept
    rest = shelf({"operator": "NOT", "conditions": [comparison(f"meta.{field}", "glob", pattern)]})
    assert rest == "".join(sorted(set("abc") - set(kept)))


def test_first_and_last_page(catalog, publish, shelf):
    publish("d", ["d"], page=3, pages=[3, 6])
    assert shelf(comparison("meta.page_last", ">=", 5)) == "bd"
    assert shelf(comparison("meta.page_first", "<=", 3)) == "ad"


def test_time_of_ingest_can_be_compared(shelf):
    now = datetime.datetime.now(datetime.UTC)
    assert shelf(comparison("ingested_at", "<", (now + datetime.timedelta(hours=1)).isoformat())) == "abc"
    assert shelf(comparison("ingested_at", ">", (now + datetime.timedelta(hours=1)).isoformat())) == ""


BAD = [
    ([], "is not an object", "write it like"),
    ({}, "lacks 'field'", "write it like"),
    ({"field": "a", "value": 1}, "lacks 'operator'", "write it like"),
    ({"field": "a", "operator": "=="}, "lacks 'value'", "write it like"),
    (comparison("a", "~", 1), "operator '~' is unknown", "use one of: ==, !=, >, >=, <, <=, in, not in, glob"),
    (comparison("a", ["=="], 1), "is unknown", "use one of"),
    (comparison("", "==", 1), "field '' is not a name", "write it like"),
    (comparison("meta.", "==", 1), "is not a name", "write it like"),
    (comparison(3, "==", 1), "field 3 is not a name", "write it like"),
    (comparison("a", "in", "text"), "value 'text' is not a list", "give 'in' a list"),
    (comparison("a", "not in", [[1]]), "is not a list", "give 'not in' a list"),
    (comparison("a", "glob", 3), "value 3 is no pattern", "'reports/*'"),
    (comparison("a", "glob", "*" * 1001), "is no pattern", "give 'glob' a short text"),
    (comparison("a", "==", [1]), "cannot be compared by ==", "give a number or a string"),
    (comparison("a", "==", {"b": 1}), "cannot be compared by ==", "give a number or a string"),
    (comparison("a", "==", {1}), "cannot be compared", "give a number or a string"),
    (comparison("a", ">", None), "cannot be compared by >", "give a number or a string"),
    (comparison("a", "<", True), "cannot be compared by <", "give a number or a string"),
    (comparison("a", "==", 10**30), "cannot be compared", "give a number or a string"),
    (comparison("a", "==", float("nan")), "cannot be compared", "give a number or a string"),
    (comparison("a", "==", "\ud800"), "cannot be compared", "give a number or a string"),
    (comparison("a", "in", [1, 10**30]), "cannot be compared", "give a number or a string"),
    (comparison("\ud800", "==", 1), "is not a name", "write it like"),
    (comparison('a" OR 1=1 --', "==", 1), "is not a name", "write it like"),
    (comparison('$.a"), 1) OR (1=1', "==", 1), "is not a name", "write it like"),
    (comparison("a\0b", "==", 1), "is not a name", "write it like"),
    ({"operator": "XOR", "conditions": [comparison("a", "==", 1)]}, "'XOR' is unknown", "AND, OR or NOT"),
    ({"conditions": [comparison("a", "==", 1)]}, "operator None is unknown", "AND, OR or NOT"),
    ({"operator": "AND", "conditions": []}, "AND has no conditions", "as a list"),
    ({"operator": "AND"}, "AND has no conditions", "as a list"),
    ({"operator": "OR", "conditions": comparison("a", "==", 1)}, "OR has no conditions", "as a list"),
    ({"operator": "AND", "conditions": ["a == 1"]}, "'a == 1' is not an object", "write it like"),
]


@pytest.mark.parametrize(("filters", "message", "remedy"), BAD)
def test_bad_filter_names_the_part_and_the_remedy(catalog, filters, message, remedy):
    with pytest.raises(FilterError) as error:
        catalog.chunks.matching("docs", filters)
    assert message in error.value.message
    assert remedy in error.value.remedy


def nested(depth):
    filters = comparison("a", "==", 1)
    for _ in range(depth):
        filters = {"operator": "NOT", "conditions": [filters]}
    return filters


@pytest.mark.parametrize(
    "filters",
    [
        nested(3000),
        nested(60),
        {"operator": "OR", "conditions": [comparison("a", "==", n) for n in range(5000)]},
        comparison("a", "in", list(range(300_000))),
    ],
    ids=["deepest", "deep", "wide", "long"],
)
def test_filter_that_is_too_large_is_refused(catalog, filters):
    with pytest.raises(FilterError, match="too large"):
        catalog.chunks.matching("docs", filters)


def test_filter_of_fair_size_is_not_too_large(shelf):
    assert shelf(nested(10)) == ""
    assert shelf(nested(11)) == "abc"
    assert shelf({"operator": "OR", "conditions": [comparison("year", "==", n) for n in range(1900, 2100)]}) == "ab"
    assert shelf(comparison("meta.year", "in", list(range(10_000)))) == "ab"


INJECTIONS = [
    "a' OR 1=1 --", "'; DROP TABLE chunks; --", "$.a), 1) OR (1=1", "a') OR ('1'='1", "a`; --",
    "c.meta", "meta.meta", "?", "$", "$.year", "year]", "a\\", "\\", "%", "year.x", "[0]", "#",
]  # fmt: skip


@pytest.mark.parametrize("text", INJECTIONS)
def test_nothing_in_a_filter_is_run_as_sql(shelf, catalog, text):
    assert shelf(comparison(text, "==", 1)) == ""
    assert shelf(comparison(f"meta.{text}", ">", 0)) == ""
    assert shelf(comparison("meta.year", "==", text)) == ""
    assert shelf(comparison("meta.tag", "in", [text])) == ""
    assert len(catalog.chunks.visible_ids("docs")) == 3


@settings(max_examples=100, deadline=None)
@given(key=st.text(min_size=1, max_size=12), value=ANY)
def test_any_text_is_a_field_or_a_filter_error(emptied, draft, key, value):
    catalog = emptied()
    try:
        clause, values = compile_filters(comparison(f"meta.{key}", "==", value))
    except FilterError:
        return
    assert clause.count("?") == len(values)
    try:
        catalog.chunks.matching("docs", comparison(f"meta.{key}", "==", value))
    except sqlite3.OperationalError as error:  # pragma: no cover
        pytest.fail(f"{key!r}: {error}")
