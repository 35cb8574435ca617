"""A page beside a passage, or the reason why there is none."""

import pytest
import streamlit as st

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.dashboard.parts.reader.sheet import sheet_of
from khub.server.reads.hub_reads import reader
from tests.dashboard.conftest import COLLECTION

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def new_visit():
    st.session_state.clear()


def document(doc_type):
    rows = reader().documents(COLLECTION, 0, 10)
    return next(row for row in rows if row["doc_type"] == doc_type)


def passages(row):
    return reader().chunks_of_section(row["doc_id"], "")


def test_other_passages_of_the_page_can_be_chosen(hub):
    row = document("pdf")
    chunk, *others = reader().chunks_of_pages(row["doc_id"], 1, 1)
    sheet = sheet_of(row, 1, chunk, others=others)
    assert sheet["image"]
    assert {place["number"] for place in sheet["places"]} == {one.meta["ordinal"] + 1 for one in others}
    assert all(0 <= share <= 1 for place in sheet["places"] for share in place["box"])


def test_a_document_without_pages_has_the_text_around(hub):
    row = document("markdown")
    sheet = sheet_of(row, None, passages(row)[0])
    assert not sheet["image"]
    assert [part["own"] for part in sheet["parts"]].count(True) == 1


def test_a_damaged_original_is_told(hub):
    row = document("pdf")
    open_catalog().originals.path(row["sha256"], row["source"]).write_bytes(b"%PDF-1.7 broken")
    sheet = sheet_of(row, 1, passages(row)[0])
    assert not sheet["image"]
    assert "cannot be drawn" in sheet["note"]
    assert sheet["parts"]


def test_a_page_with_a_closed_passage_is_not_shown(hub):
    row = document("pdf")
    first, *others = passages(row)
    with open_catalog().database.transaction() as connection:
        for chunk, level in ((first, "secret"), *((other, "public") for other in others)):
            connection.execute(
                "UPDATE chunks SET meta = json_set(meta, '$.access_level', ?) WHERE chunk_id = ?", (level, chunk.id)
            )
    page = first.meta["page"]
    own = next(one for one in others if one.meta["page"] == page)
    with calling_as(Caller("somebody", ("public",))):
        sheet = sheet_of(row, page, own)
    assert not sheet["image"]
    assert "closed" in sheet["note"]
    assert (first.content or "")[:40] not in "".join(part["html"] for part in sheet["parts"])
