"""What is shown of a document of which `KHUB_ACCESS` opens some chunks and not all."""

import pytest

from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.partly_opened import closed_among, page_is_opened
from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.catalog.reader import CatalogReader
from khub.components.errors import FilterError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def shelve(catalog, draft):
    """A function: publish a document of chunks `(level, first page, last page, ids of pictures)`; return its id.

    It has pictures `1`, `2` … on these pages.
    """

    def run(chunks, pages=(), name="report", collection="docs", **extra):
        catalog.collections.create(collection)
        new = draft(name, [f"{name} {number}" for number in range(len(chunks))], collection=collection, extra=extra)
        for ordinal, (chunk, (level, first, last, held)) in enumerate(zip(new.chunks, chunks, strict=True)):
            place = {"page": first, "pages": None if first is None else [first, last], "ordinal": ordinal}
            chunk.meta.update(place, access_level=level, image_refs=held, language="zh" if level == "b" else "en")
        new.meta["page_count"] = 9
        catalog.chunks.stage(new, "f")
        pictures = [
            DocumentPicture(str(n), new.doc_id, "", Picture(page, n, None, 9, 9, "image/png", b"x", "raster", "", ""))
            for n, page in enumerate(pages, start=1)
        ]
        catalog.images.stage(new.doc_id, pictures)
        catalog.chunks.publish(new)
        return new.doc_id

    return run


@pytest.fixture
def row(catalog):
    """A function: the row of a document, as a reader sees it."""
    return CatalogReader(catalog.database).document


def test_counts_are_those_of_the_opened_chunks(shelve, row, catalog, monkeypatch):
    doc_id = shelve([("b", 1, 2, []), ("a", 3, 4, []), ("a", 7, 7, [])])
    whole = row(doc_id)
    assert (whole["chunks"], whole["pages"], whole["language"]) == (3, 9, "en")
    monkeypatch.setenv("KHUB_ACCESS", "b")
    part = row(doc_id)
    assert (part["chunks"], part["pages"], part["language"]) == (1, 2, "zh")
    assert CatalogReader(catalog.database).overview("docs")["chunks"] == 1
    monkeypatch.setenv("KHUB_ACCESS", "a,b")
    assert row(doc_id) == whole


def test_what_was_made_of_the_whole_text_is_left_out_and_what_the_user_says_stays(shelve, row, catalog, monkeypatch):
    found = {"summary": "All of it", "tags": ["found"]}
    doc_id = shelve([("a", 1, 1, []), ("b", 2, 2, [])], team="x", found_metadata=list(found), **found)
    monkeypatch.setenv("KHUB_ACCESS", "a,b")
    assert row(doc_id)["meta"]["summary"] == "All of it"
    assert CatalogReader(catalog.database).overview("docs")["tags"] == ["found"]
    monkeypatch.setenv("KHUB_ACCESS", "a")
    assert row(doc_id)["meta"] == {"team": "x"}
    assert CatalogReader(catalog.database).overview("docs")["tags"] == []


@pytest.mark.parametrize(
    ("chunks", "opened"),
    [
        ([("a", 1, 1, []), ("a", 2, 2, [])], [1, 2]),
        ([("a", 1, 1, []), ("b", 2, 2, [])], [1]),
        ([("a", 1, 1, []), ("b", 1, 2, [])], []),
        ([("a", 1, 3, []), ("b", 2, 2, [])], [1, 3]),
        ([("a", 1, 1, []), ("b", None, None, [])], []),  # it may stand on any page
        ([("a", None, None, [])], []),
    ],
)
def test_page_is_whole_if_no_chunk_that_may_be_on_it_is_closed(shelve, catalog, monkeypatch, chunks, opened):
    doc_id = shelve(chunks)
    assert page_is_opened(catalog.database, doc_id, 5)
    monkeypatch.setenv("KHUB_ACCESS", "a")
    assert [page for page in range(1, 6) if page_is_opened(catalog.database, doc_id, page)] == opened


@pytest.mark.parametrize(
    ("chunks", "pages", "opened"),
    [
        ([("a", 1, 1, ["1"]), ("b", 1, 1, ["2"])], (1, 1), ["1"]),  # each with the chunk that holds it
        ([("a", 1, 1, ["1"]), ("b", 1, 1, ["1"])], (1,), []),  # two chunks that overlap
        ([("a", 1, 1, []), ("b", 2, 2, [])], (1, 2, 3), ["1"]),  # held by none: with its page
        ([("a", 1, 1, []), ("b", None, None, [])], (1,), []),
        ([("a", 1, 1, []), ("b", 2, 2, [])], (None,), []),  # … and without one with the whole document
        ([("a", 1, 1, []), ("a", 2, 2, [])], (None,), ["1"]),
    ],
)
def test_pictures_go_with_the_chunks_that_hold_them_or_with_their_page(
    shelve, catalog, monkeypatch, chunks, pages, opened
):
    doc_id = shelve(chunks, pages)
    every = [str(number) for number in range(1, len(pages) + 1)]
    assert catalog.images.opened(doc_id) == every
    monkeypatch.setenv("KHUB_ACCESS", "a")
    assert catalog.images.opened(doc_id) == opened
    assert sorted(catalog.images.get(every)) == opened


def test_collections_with_nothing_open_do_not_exist(shelve, catalog, monkeypatch):
    shelve([("a", 1, 1, []), ("b", 1, 1, [])])
    shelve([("b", 1, 1, [])], collection="inner")
    catalog.collections.create("empty")
    seen = catalog.opened_collections
    assert (seen.names(), seen.exists("inner")) == (["docs", "empty", "inner"], True)
    monkeypatch.setenv("KHUB_ACCESS", "a")
    assert (seen.names(), seen.exists("inner"), seen.exists("docs")) == (["docs"], False, True)
    assert seen.resolve(None) == "docs"
    for name in ("inner", "inmer"):
        with raises_code("collection_unknown", f"'{name}'", ": docs") as refused:
            seen.resolve(name)
        assert "inner" not in str(refused.value).replace(name, "")
    assert catalog.collections.names() == ["docs", "empty", "inner"]  # who writes needs them all


def test_variable_without_a_level_opens_nothing(shelve, catalog, monkeypatch):
    doc_id = shelve([("a", 1, 1, [])])
    monkeypatch.setenv("KHUB_ACCESS", ",")
    for look in (
        lambda: page_is_opened(catalog.database, doc_id, 1),
        lambda: catalog.images.opened(doc_id),
        catalog.opened_collections.names,
        lambda: catalog.opened_collections.resolve("docs"),
    ):
        with pytest.raises(FilterError, match="names no access level"):
            look()


def test_a_file_of_which_nothing_was_read_has_the_level_that_was_given_with_it(catalog, row, monkeypatch):
    catalog.collections.create("docs")
    documents, names = catalog.documents, ("mine.pdf", "closed.pdf", "unsaid.pdf")
    for name in names:
        documents.record_failure("docs", name, "damaged", "replace it")
    documents.give_failed_level("docs", ["mine.pdf"], ["a", "b"])
    documents.give_failed_level("docs", ["closed.pdf"], "c")
    reader, ids = CatalogReader(catalog.database), [doc_id_of("docs", name) for name in names]
    assert all(map(row, ids))
    assert reader.collection_is_opened("docs")
    monkeypatch.setenv("KHUB_ACCESS", "b")
    assert [row(doc_id) is not None for doc_id in ids] == [True, False, False]
    assert [reader.document_is_opened(doc_id) for doc_id in ids] == [True, False, False]
    assert closed_among(catalog.database, ids) == {*ids[1:]}
    assert not reader.collection_is_opened("docs")
    documents.record_failure("docs", "closed.pdf", "worse", "mend it")  # nothing is said of what is closed
    assert documents.find("docs", "closed.pdf")["error"] == "damaged"
    monkeypatch.setenv("KHUB_ACCESS", "b,c")
    assert [row(doc_id) is not None for doc_id in ids] == [True, True, False]


def test_a_failure_changes_no_level_of_what_was_read_before(catalog, shelve, row):
    doc_id = shelve([("a", 1, 1, [])], access_level="a")
    source = row(doc_id)["source"]
    catalog.documents.record_failure("docs", source, "damaged", "replace it")
    catalog.documents.give_failed_level("docs", [source], "b")
    assert row(doc_id)["meta"]["access_level"] == "a"
