"""Rows in, a document of each out; those that are known are passed over."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.converters.row_converter import RowConverter, row_record

pytestmark = pytest.mark.unit

ROW = {"path": "/t.csv#row=7", "text": "Trout swim upstream.", "title": "Trout", "meta": {"river": "Elbe"}}


def publish(document, collection="default"):
    meta = {**document.meta, "ordinal": 0, "start": 0, "end": 1, "text_hash": "h"}
    chunk = type(document)(id="c", content=document.content, meta=meta, embedding=[1.0])
    new = NewDocument(document.meta["doc_id"], collection, meta, {}, [chunk])
    open_catalog().chunks.stage(new, "fp")
    open_catalog().chunks.publish(new)


def test_a_row_is_a_document_with_its_fields():
    out = RowConverter().run([ROW], "birds", "r1", {"team": "a"})
    (document,) = out["documents"]
    assert document.content == "Trout swim upstream."
    record = row_record("birds", ROW)
    wanted = {
        "doc_id": record["doc_id"], "source": "/t.csv#row=7", "sha256": record["sha256"], "size": 20,
        "doc_type": "row", "title": "Trout", "river": "Elbe", "team": "a", "recipe": "r1",
        "given_metadata": {"team": None},
    }  # fmt: skip
    assert document.meta == wanted
    assert (out["sources"], out["unchanged"], out["failed"], out["collection"]) == ([record], [], [], "birds")
    assert open_catalog().collections.names() == []


def test_title_and_fields_may_be_absent():
    (document,) = RowConverter().run([{"path": "p#row=1", "text": "x"}])["documents"]
    assert document.meta["title"] is None
    assert RowConverter().run([{"path": "p#row=1", "text": "x"}])["collection"] == "default"


def test_the_hubs_own_fields_win():
    row = {**ROW, "meta": {"source": "elsewhere", "doc_type": "pdf"}}
    (document,) = RowConverter().run([row], meta={"size": 1})["documents"]
    assert (document.meta["source"], document.meta["doc_type"], document.meta["size"]) == (ROW["path"], "row", 20)


@pytest.mark.parametrize(
    ("changes", "recipe", "force", "same"),
    [
        ({}, "r1", False, True),
        ({}, "r2", False, False),
        ({}, "r1", True, False),
        ({"text": "Pike wait."}, "r1", False, False),
        ({"title": "Pike"}, "r1", False, False),
        ({"meta": {"river": "Oder"}}, "r1", False, False),
    ],
)
def test_an_unchanged_row_is_passed_over(changes, recipe, force, same):
    publish(RowConverter().run([ROW], recipe="r1")["documents"][0])
    out = RowConverter(force=force).run([{**ROW, **changes}], recipe=recipe)
    assert out["unchanged"] == ([ROW["path"]] if same else [])
    assert len(out["documents"]) == len(out["sources"]) == (0 if same else 1)


def test_a_row_without_text_fails_alone():
    out = RowConverter().run([{"path": "p#row=1", "text": " \n"}, ROW])
    assert [d.meta["title"] for d in out["documents"]] == ["Trout"]
    assert [(failure["source"], failure["stage"]) for failure in out["failed"]] == [
        ("p#row=1", "convert")
    ]  # fmt: skip


def test_control_characters_do_not_come_in():
    (document,) = RowConverter().run([{"path": "p#row=1", "text": "a\x00b\r\nc", "title": "\x07T"}])["documents"]
    assert (document.content, document.meta["title"]) == ("ab\nc", "T")
