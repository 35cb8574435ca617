"""What `KHUB_ACCESS` does not open is nowhere in what a reader asks of the catalog: no id, name, text or picture."""

import pytest

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.catalog.reader import CatalogReader
from khub.components.errors import FilterError

pytestmark = pytest.mark.unit

ENGLISH = {"field": "meta.language", "operator": "==", "value": "en"}


@pytest.fixture
def shelf(catalog, publish, draft):
    """Documents `open` and `inner`, `mixed` with one open chunk, `failed`; each but the last with a picture."""
    for name, levels in (("open", ["public"]), ("inner", ["internal"]), ("mixed", ["public", "internal"])):
        new = draft(name, [f"{name} {level}" for level in levels])
        for ordinal, (chunk, level) in enumerate(zip(new.chunks, levels, strict=True)):
            chunk.meta.update(access_level=level, section=level, page=ordinal + 1, ordinal=ordinal)
        catalog.chunks.stage(new, "f")
        picture = Picture(1, 1, None, 9, 9, "image/png", name.encode(), "raster", "Figure", name)
        catalog.images.stage(new.doc_id, [DocumentPicture(f"picture-{name}", new.doc_id, "", picture)])
        catalog.chunks.publish(new)
    catalog.documents.record_failure("docs", "/files/failed.md", "damaged", "replace it")
    return CatalogReader(catalog.database)


@pytest.fixture
def seen(shelf, catalog, draft):
    """Return a function: titles or contents that each look-up gives."""

    def find():
        ids = {name: draft(name, [""]).doc_id for name in ("open", "inner", "mixed")}
        pictures = [f"picture-{name}" for name in ids]
        return {
            "document": [shelf.document(i)["title"] for i in ids.values() if shelf.document(i)],
            "named": [row["title"] for name in ids for row in shelf.named(source=f"{name}.md")],
            "documents": [row["title"] for row in shelf.documents("docs", 0, 10)],
            "filtered": [row["title"] for row in shelf.documents("docs", 0, 10, ENGLISH)],
            "counts": [shelf.count("docs"), shelf.count("docs", ENGLISH), shelf.overview("docs")["documents"]],
            "ids": sorted(name for name, i in ids.items() if i in shelf.document_ids("", 10)),
            "averages": [shelf.average_chunk(i) for i in ids.values()],
            "sections": [section["path"] for i in ids.values() for section in shelf.sections(i)],
            "between": [c.content for i in ids.values() for c in shelf.chunks_between(i, 0, 9)],
            "of_section": [c.content for i in ids.values() for c in shelf.chunks_of_section(i, "")],
            "of_pages": [c.content for i in ids.values() for c in shelf.chunks_of_pages(i, 1, 9)],
            "chunks": sorted(c.content for i in catalog.chunks.visible_ids("docs") if (c := shelf.chunk(i))),
            "words": sorted(shelf.pictures_with_words("docs", ["figure"], 10)),
            "pictures": sorted(catalog.images.get(pictures)),
        }

    return find


def test_without_the_variable_everything_is_read(seen, monkeypatch):
    monkeypatch.delenv("KHUB_ACCESS", raising=False)
    contents = ["open public", "inner internal", "mixed public", "mixed internal"]
    assert seen() == {
        "document": ["open", "inner", "mixed"],
        "named": ["open", "inner", "mixed"],
        "documents": [None, "inner", "mixed", "open"],
        "filtered": ["inner", "mixed", "open"],
        "counts": [4, 3, 3],
        "ids": ["inner", "mixed", "open"],
        "averages": [11, 14, 13],
        "sections": ["public", "internal", "public", "internal"],
        "between": contents,
        "of_section": contents,
        "of_pages": contents,
        "chunks": sorted(contents),
        "words": ["picture-inner", "picture-mixed", "picture-open"],
        "pictures": ["picture-inner", "picture-mixed", "picture-open"],
    }


def test_only_what_the_level_opens_is_read(seen, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    contents = ["open public", "mixed public"]
    assert seen() == {
        "document": ["open", "mixed"],
        "named": ["open", "mixed"],
        "documents": ["mixed", "open"],
        "filtered": ["mixed", "open"],
        "counts": [2, 2, 2],
        "ids": ["mixed", "open"],
        "averages": [11, 0, 12],
        "sections": ["public", "public"],
        "between": contents,
        "of_section": contents,
        "of_pages": contents,
        "chunks": sorted(contents),
        "words": ["picture-mixed", "picture-open"],
        "pictures": ["picture-mixed", "picture-open"],
    }


def test_a_level_of_nothing_shows_nothing(seen, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "nobody")
    assert not any(value for found in seen().values() for value in found)


def test_a_variable_without_a_level_opens_nothing(shelf, catalog, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", " ")
    for look in (
        lambda: shelf.document("x"),
        lambda: shelf.named(source="x"),
        lambda: shelf.documents("docs", 0, 10),
        lambda: shelf.overview("docs"),
        lambda: shelf.document_ids("", 10),
        lambda: shelf.sections("x"),
        lambda: shelf.chunk("x"),
        lambda: shelf.pictures_with_words("docs", ["figure"], 10),
        lambda: catalog.images.get(["x"]),
    ):
        with pytest.raises(FilterError, match="names no access level"):
            look()


def test_reindexing_still_has_every_picture(shelf, catalog, draft, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert len(catalog.images.of_document(draft("inner", [""]).doc_id)) == 1
