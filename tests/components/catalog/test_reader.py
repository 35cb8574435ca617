"""What a reader asks of the catalog."""

import json

import pytest
from haystack import Document

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.document_page import KEYS, Wanted
from khub.components.catalog.reader import CatalogReader
from khub.components.catalog.scanned_pages import NEEDS_OCR, READS_SCANS
from khub.components.errors import FilterError

pytestmark = pytest.mark.integration


def chunk(name, number, section, pages, text):
    meta = {
        "ordinal": number, "section": section, "page": pages[0], "pages": pages, "start": number * 100,
        "end": number * 100 + len(text), "language": "en", "text_hash": f"h{number}", "boxes": [],
    }  # fmt: skip
    return Document(id=f"{name}-c{number}", content=text, meta=meta, embedding=[0.0])


@pytest.fixture
def reader():
    catalog = open_catalog()
    catalog.collections.create("work")
    for name, extra in (("a.pdf", {"tags": ["red", "blue"]}), ("b.pdf", {"tags": "blue"})):
        chunks = [
            chunk(name, 0, "A", [1, 1], "first"),
            chunk(name, 1, "A > B", [1, 2], "second"),
            chunk(name, 2, "AB", [3, 3], "third"),
        ]
        meta = {"source": f"/docs/{name}", "sha256": f"sha-{name}", "doc_type": "pdf", "title": name, "page_count": 3}
        new = NewDocument(name, "work", meta, extra, chunks)
        catalog.chunks.stage(new, "f")
        catalog.chunks.publish(new)
    catalog.documents.record_failure("work", "/docs/c.pdf", "damaged", "replace it")
    return CatalogReader(catalog.database)


def ids(chunks):
    return [one.id.removeprefix("a.pdf-") for one in chunks]


def test_document_by_id_hash_source_and_name(reader):
    assert reader.document("a.pdf")["title"] == "a.pdf"
    assert reader.document("nope") is None
    for names in ({"sha256": "sha-a.pdf"}, {"source": "/docs/a.pdf"}, {"source": "a.pdf"}, {"source": "docs/a.pdf"}):
        assert [row["doc_id"] for row in reader.named(**names)] == ["a.pdf"]
    assert reader.named(source=".pdf") == []
    assert reader.named(source="%") == []


def test_documents_of_a_collection(reader):
    assert [row["source"] for row in reader.documents("work", 0, 10)] == ["/docs/a.pdf", "/docs/b.pdf", "/docs/c.pdf"]
    assert [row["source"] for row in reader.documents("work", 1, 1)] == ["/docs/b.pdf"]
    red = {"field": "meta.tags", "operator": "==", "value": "red"}
    assert [row["doc_id"] for row in reader.documents("work", 0, 10, red)] == ["a.pdf"]
    assert (reader.count("work"), reader.count("work", red), reader.count("other")) == (3, 1, 0)
    with pytest.raises(FilterError):
        reader.count("work", {"field": "meta.tags"})


def test_overview_leaves_out_what_failed(reader):
    about = reader.overview("work")
    assert (about["documents"], about["chunks"], about["tags"]) == (2, 6, ["blue", "red"])
    assert (about["languages"], about["doc_types"]) == (["en"], ["pdf"])


def test_ids_by_what_is_typed(reader):
    assert reader.document_ids("B.PDF", 10) == ["b.pdf"]
    assert len(reader.document_ids("", 10)) == 2
    assert len(reader.document_ids("", 1)) == 1


def test_sections_and_what_is_in_them(reader):
    assert [(s["path"], s["chunks"], s["page_last"]) for s in reader.sections("a.pdf")] == [
        ("A", 1, 1), ("A > B", 1, 2), ("AB", 1, 3),
    ]  # fmt: skip
    assert ids(reader.chunks_of_section("a.pdf", "A")) == ["c0", "c1"]
    assert ids(reader.chunks_of_section("a.pdf", "")) == ["c0", "c1", "c2"]
    assert ids(reader.chunks_of_section("a.pdf", "B")) == []


def test_passages_by_page_and_place(reader):
    assert ids(reader.chunks_of_pages("a.pdf", 2, 2)) == ["c1"]
    assert ids(reader.chunks_of_pages("a.pdf", 1, 3)) == ["c0", "c1", "c2"]
    assert ids(reader.chunks_between("a.pdf", 1, 9)) == ["c1", "c2"]
    assert reader.chunk("a.pdf-c1").content == "second"
    assert reader.chunk("nope") is None
    assert reader.average_chunk("a.pdf") == round((5 + 6 + 5) / 3)
    assert reader.average_chunk("nope") == 0


def test_pictures_by_words_need_words(reader):
    assert reader.pictures_with_words("work", [], 10) == []
    assert reader.pictures_with_words("work", ["figure"] * 2000, 10) == []


def listed(reader, offset=0, **wanted):
    total, rows = reader.page(Wanted("work", **wanted), None, 2, offset)
    return total, [row["source"].removeprefix("/docs/") for row in rows]


def test_a_page_by_its_number(reader):
    assert listed(reader) == (3, ["a.pdf", "b.pdf"])
    assert listed(reader, 2) == (3, ["c.pdf"])
    assert listed(reader, 2, descending=True) == (3, ["a.pdf"])


def test_documents_of_all_collections_are_those_that_the_caller_has(reader):
    open_catalog().collections.create("other")
    open_catalog().documents.record_failure("other", "/docs/d.pdf", "damaged", "replace it")
    everywhere = Wanted(None, sort="source")
    assert [row["source"] for row in reader.page(everywhere, None, 9)[1]] == [f"/docs/{name}.pdf" for name in "abcd"]
    assert reader.page(everywhere, None, 1)[0] == 4
    with calling_as(Caller(collections=frozenset({"other"}))):
        assert [row["source"] for row in reader.page(everywhere, None, 9)[1]] == ["/docs/d.pdf"]


def test_documents_by_type_and_by_language(reader, monkeypatch):
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE documents SET doc_type = 'html', language = 'zh' WHERE doc_id = 'a.pdf'")
        connection.execute("UPDATE documents SET language = 'en' WHERE doc_id = 'b.pdf'")
        connection.execute("UPDATE chunks SET meta = ? WHERE doc_id <> ''", (json.dumps({"access_level": "public"}),))
        connection.execute("UPDATE chunks SET language = 'zh', meta = '{}' WHERE chunk_id = 'a.pdf-c0'")
    assert listed(reader, sort="type", descending=True) == (3, ["b.pdf", "a.pdf"])
    assert listed(reader, sort="language", descending=True) == (3, ["a.pdf", "b.pdf"])
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert listed(reader, sort="language", descending=True) == (2, ["b.pdf", "a.pdf"]), "of what is opened all is en"


@pytest.mark.parametrize("sort", KEYS)
def test_a_page_of_one_collection_looks_at_no_document_of_another(reader, sort, monkeypatch):
    asked = []
    monkeypatch.setattr(open_catalog().database, "rows", lambda sql, values=(): asked.append((sql, values)) or [])
    reader.page(Wanted("work", sort=sort), None, 50)
    monkeypatch.undo()
    ((sql, values),) = asked
    plan = [row[3] for row in open_catalog().database.rows(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert any("collection=?" in step for step in plan), plan
    assert not any(step.startswith("SCAN d") for step in plan), plan


def test_documents_by_one_of_their_tags(reader):
    assert listed(reader, tag="blue") == (2, ["a.pdf", "b.pdf"])
    assert listed(reader, tag="red") == (1, ["a.pdf"])
    assert listed(reader, tag="blu") == (0, [])


def test_documents_by_what_is_to_be_done(reader):
    assert listed(reader, need="again") == (1, ["c.pdf"])
    assert listed(reader, need="ocr") == (0, [])
    open_catalog().documents.change_meta("a.pdf", {"needs_ocr": [2]})
    open_catalog().documents.record_failure("work", "/docs/scan.pdf", "it is scanned", NEEDS_OCR)
    elsewhere = f"{READS_SCANS}, after: what installs it there"
    open_catalog().documents.record_failure("work", "/docs/scan2.pdf", "it is scanned", elsewhere)
    assert listed(reader, need="ocr") == (3, ["a.pdf", "scan.pdf"])
    assert listed(reader, 2, need="ocr") == (3, ["scan2.pdf"])


def test_tags_of_the_whole_text_are_not_looked_for_by_who_reads_a_part(reader, monkeypatch):
    found = {"tags": ["secret"], "found_metadata": ["tags"], "needs_ocr": [2]}
    for doc_id in ("a.pdf", "b.pdf"):
        open_catalog().documents.change_meta(doc_id, found)
    with open_catalog().database.transaction() as connection:
        for level, clause in (("public", "TRUE"), ("closed", "chunk_id = 'a.pdf-c1'")):
            connection.execute(f"UPDATE chunks SET meta = ? WHERE {clause}", (json.dumps({"access_level": level}),))
    assert listed(reader, tag="secret") == (2, ["a.pdf", "b.pdf"])
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert listed(reader) == (2, ["a.pdf", "b.pdf"])
    assert listed(reader, tag="secret") == (1, ["b.pdf"])
    assert listed(reader, need="ocr") == (0, [])
