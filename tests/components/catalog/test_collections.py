"""Collections: which one is meant, and what state its indexes are in."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import FIRST_INGEST
from khub.components.errors import CollectionError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def collections():
    return open_catalog().collections


def make(collections, *names):
    for name in names:
        collections.create(name)


def test_named_collection_is_the_one(collections):
    make(collections, "a", "知识库", "default")
    assert collections.resolve("知识库") == "知识库"
    assert collections.names() == ["a", "default", "知识库"]


@pytest.mark.parametrize(
    ("names", "meant"), [(["only"], "only"), (["a", "default"], "default"), (["default"], "default")]
)
def test_without_a_name_the_only_one_or_default_is_meant(collections, names, meant):
    make(collections, *names)
    assert collections.resolve(None) == collections.resolve("") == meant


@pytest.mark.parametrize(
    ("names", "asked", "code", "named"),
    [
        ([], None, "collection_unknown", [FIRST_INGEST]),
        (["b", "a"], None, "collection_ambiguous", ["a, b"]),
        (["a"], "z", "collection_unknown", ["'z'", ": a"]),
        (["default", "a"], "defualt", "collection_unknown", ["'defualt'", "'default'?", "a, default"]),
        ([], "z", "collection_unknown", ["'z'", FIRST_INGEST]),
    ],
)
def test_mistakes_name_what_there_is(collections, names, asked, code, named):
    make(collections, *names)
    with raises_code(code, *named, *([] if names else [open_catalog().database.place])):
        collections.resolve(asked)


@pytest.mark.parametrize("name", ["", "  ", "\t", "a\nb", "a\0b", "x" * 201])
def test_unusable_names_are_refused(collections, name):
    with raises_code("name_invalid", "1 to 200"):
        collections.create(name)
    assert collections.names() == []


def test_longest_name_and_second_create_do_no_harm(collections):
    make(collections, "x" * 200, "a")
    collections.bind("a", {"store": 1})
    collections.create("a")
    assert collections.binding("a") == {"store": 1}
    assert collections.exists("x" * 200)
    assert not collections.exists("x" * 199)


@pytest.mark.usefixtures("in_a_file")
def test_new_collection_is_clean_and_unbound(collections):
    make(collections, "docs")
    state = open_catalog().index_states.state("docs")
    assert (state.slug, state.dirty, state.damaged) == ("docs", False, ())
    assert (state.physical("dense"), state.physical("sparse")) == ("docs_g1", "docs_g1")
    assert (collections.binding("docs"), open_catalog().index_states.manifest("docs")) == ({}, {})
    assert (collections.binding("none"), open_catalog().index_states.manifest("none")) == ({}, {})
    with pytest.raises(CollectionError, match="existing collections: docs"):
        open_catalog().index_states.state("none")


@pytest.mark.usefixtures("in_a_file")
def test_dirty_until_marked_clean_with_a_manifest(collections):
    make(collections, "docs", "other")
    open_catalog().index_states.mark_dirty("docs")
    assert open_catalog().index_states.state("docs").dirty
    assert not open_catalog().index_states.state("other").dirty
    before = open_catalog().index_states.state("docs").commits
    open_catalog().index_states.mark_clean("docs", {"dense": {"y": [4, 5, 6]}})
    assert not open_catalog().index_states.state("docs").dirty
    assert open_catalog().index_states.state("docs").commits > before
    assert open_catalog().index_states.manifest("docs") == {"dense": {"y": [4, 5, 6]}}
    assert open_catalog().index_states.manifest("other") == {}


@pytest.mark.usefixtures("in_a_file")
def test_damage_is_remembered_by_leg_until_that_leg_is_rebuilt(collections):
    make(collections, "docs")
    for leg in ("sparse", "dense", "dense"):
        open_catalog().index_states.mark_damaged("docs", leg)
    before = open_catalog().index_states.state("docs")
    assert before.damaged == ("dense", "sparse")
    open_catalog().index_states.start_generation("docs", "dense", 2, {"dense": {"y": [4, 5, 6]}})
    state = open_catalog().index_states.state("docs")
    assert state.damaged == ("sparse",)
    assert open_catalog().index_states.manifest("docs") == {"dense": {"y": [4, 5, 6]}}
    assert (state.generation("dense"), state.generation("sparse")) == (2, 1)
    assert (state.physical("dense"), state.physical("sparse")) == ("docs_g2", "docs_g1")
    assert state.commits > before.commits


def test_generation_may_bring_a_binding_or_leave_it(collections):
    make(collections, "docs")
    collections.bind("docs", {"embedder": "甲"})
    open_catalog().index_states.start_generation("docs", "sparse", 3, {})
    assert collections.binding("docs") == {"embedder": "甲"}
    open_catalog().index_states.start_generation("docs", "dense", 2, {}, {"embedder": "乙"})
    assert collections.binding("docs") == {"embedder": "乙"}


@pytest.mark.usefixtures("in_a_file")
def test_removed_collection_is_gone_and_may_come_again_unlike_before(collections):
    make(collections, "docs", "other")
    collections.bind("docs", {"store": 1})
    before = open_catalog().index_states.state("docs")
    collections.remove("docs")
    assert collections.names() == ["other"]
    make(collections, "docs")
    assert collections.binding("docs") == {}
    assert open_catalog().index_states.state("docs").physical("dense") != before.physical("dense")
    assert (
        open_catalog().index_states.state("docs").commits != before.commits
    )  # or open readers would take it for the old one
