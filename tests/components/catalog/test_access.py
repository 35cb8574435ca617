"""`KHUB_ACCESS` decides what is shown, and no caller can talk it round."""

import pytest

from khub.components.catalog.access import access_levels
from khub.components.errors import FilterError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def comparison(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


@pytest.fixture
def shelf(catalog, publish):
    publish("open", ["open"], extra={"access_level": "public"})
    publish("inner", ["inner"], extra={"access_level": "internal"})
    publish("two", ["two"], extra={"access_level": ["board", "internal"]})
    publish("number", ["number"], extra={"access_level": 2})
    publish("unmarked", ["unmarked"])
    publish("chunk", ["chunk"], access_level="public")  # of the chunk alone

    def shown(filters=None):
        ids = list(catalog.chunks.visible_ids("docs"))
        kept = catalog.chunks.matching("docs", filters)
        fetched = {d.content for d, _ in catalog.chunks.fetch("docs", ids).values()}
        matching = {d.content for d, _ in catalog.chunks.fetch("docs", ids if kept is None else kept).values()}
        assert matching == fetched if filters is None else matching <= fetched  # both look at the level
        return matching

    return shown


ALL = {"open", "inner", "two", "number", "unmarked", "chunk"}


def test_without_the_variable_everything_is_shown(shelf, catalog, monkeypatch):
    monkeypatch.delenv("KHUB_ACCESS", raising=False)
    assert shelf() == ALL
    assert catalog.chunks.matching("docs", None) is None
    assert {row["title"] for row in catalog.documents.readable("docs")} == ALL


@pytest.mark.parametrize(
    ("levels", "shown"),
    [
        ("public", {"open", "chunk"}),
        (" public , internal ", {"open", "chunk", "inner", "two"}),
        ("board", {"two"}),
        ("2", {"number"}),
        ("PUBLIC", set()),
        ("publi", set()),
        ("secret", set()),
    ],
)
def test_only_what_a_level_opens_is_shown(shelf, catalog, monkeypatch, levels, shown):
    monkeypatch.setenv("KHUB_ACCESS", levels)
    assert shelf() == shown
    assert {row["title"] for row in catalog.documents.readable("docs")} == shown
    assert catalog.chunks.has_match("docs", comparison("meta.language", "==", "en")) is bool(shown)


def test_what_is_opened_changes_with_an_ingest_and_with_the_variable(shelf, publish, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "board")
    assert shelf() == {"two"}
    publish("new", ["new"], extra={"access_level": "board"})
    assert shelf() == {"two", "new"}
    publish("two", ["two"], extra={"access_level": "internal"})
    assert shelf() == {"new"}
    monkeypatch.setenv("KHUB_ACCESS", "internal")
    assert shelf() == {"inner", "two"}


@pytest.mark.parametrize("levels", ["", " ", ",", " , "])
def test_a_variable_without_a_level_opens_nothing(shelf, monkeypatch, levels):
    monkeypatch.setenv("KHUB_ACCESS", levels)
    with raises_code("setting_invalid", "KHUB_ACCESS"):
        shelf()
    with pytest.raises(FilterError):
        access_levels()


EVERYTHING = comparison("meta.title", "!=", "")
TRIES = [
    {"operator": "OR", "conditions": [EVERYTHING, comparison("meta.language", "==", "en")]},
    {"operator": "NOT", "conditions": [comparison("meta.title", "==", "")]},
    {"operator": "OR", "conditions": [comparison("meta.page", "==", None), EVERYTHING]},
    comparison("id", "not in", []),
    comparison("meta.source", "glob", "*"),
    comparison("content", "==", "unmarked"),
    comparison("meta.x) OR (1=1", "==", None),
]


@pytest.mark.parametrize("filters", TRIES)
def test_no_filter_opens_more(shelf, monkeypatch, filters):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert shelf(filters) <= {"open", "chunk"}


@pytest.mark.parametrize(
    "field", ["meta.access_level", "access_level", "meta.access\\u005flevel", "access_l\\u0065vel"]
)
@pytest.mark.parametrize("levels", [None, "public"])
def test_a_filter_that_names_the_level_is_refused(shelf, monkeypatch, field, levels):
    if levels:
        monkeypatch.setenv("KHUB_ACCESS", levels)
    one = comparison(field, "in", ["internal", "secret"])
    for filters in (one, {"operator": "OR", "conditions": [EVERYTHING, {"operator": "NOT", "conditions": [one]}]}):
        with raises_code("filter_field_not_allowed", "'access_level'") as caught:
            shelf(filters)
        assert "KHUB_ACCESS" in caught.value.remedy
