import os
import sqlite3
from pathlib import Path

import pytest

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.deletion import delete_documents, delete_superseded_files
from khub.components.catalog.images import Images
from khub.components.catalog.picture import DocumentPicture, Picture

pytestmark = pytest.mark.unit

DATA = b"\x89PNG one"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = Catalog(tmp_path, os.environ.get("KHUB_DATABASE_URL", ""))
    for name in ("library", "archive"):
        catalog.collections.create(name)
    return catalog


def add_document(catalog: Catalog, doc_id: str, collection: str = "library") -> None:
    with catalog.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (doc_id, collection, source, status, updated_at) VALUES (?, ?, ?, 'pending', '')",
            (doc_id, collection, f"/{doc_id}"),
        )


def publish(catalog: Catalog, doc_id: str) -> None:
    with catalog.database.transaction() as connection:
        connection.execute("UPDATE documents SET version = version + 1 WHERE doc_id = ?", (doc_id,))
        delete_superseded_files(connection, doc_id)


def picture(doc_id: str, seq: int = 1, data: bytes = DATA, kind: str = "raster") -> DocumentPicture:
    shown = Picture(2, seq, (1.0, 2.0, 30.5, 40.123), 640, 480, "image/png", data, kind, "Figure 1", "a chart")  # type: ignore[arg-type]
    return DocumentPicture(f"{doc_id}_2_{seq}", doc_id, f"/{doc_id}", shown, text="words", description="it shows")


def files(home: Path) -> list[str]:
    return sorted(file.suffix for file in home.glob("images/*/*"))


def test_a_published_picture_has_a_row_and_a_file(catalog: Catalog, tmp_path: Path) -> None:
    add_document(catalog, "d")
    catalog.images.stage("d", [picture("d")])
    assert catalog.images.of_document("d") == []
    publish(catalog, "d")

    (row,) = catalog.images.of_document("d")

    assert Path(row.pop("path")).read_bytes() == DATA
    assert row == {
        "image_id": "d_2_1", "doc_id": "d", "collection": "library", "source": "/d", "page": 2,
        "box": [1.0, 2.0, 30.5, 40.12], "kind": "raster", "mime": "image/png", "width": 640, "height": 480,
        "size": len(DATA), "sha256": row["sha256"], "caption": "Figure 1", "alt": "a chart", "text": "words",
        "description": "it shows",
    }  # fmt: skip
    assert len(catalog.images.opened("d")) == 1


def test_pages_are_no_pictures(catalog: Catalog, tmp_path: Path) -> None:
    add_document(catalog, "d")
    catalog.images.stage("d", [picture("d", kind="page")])
    publish(catalog, "d")

    assert len(catalog.images.opened("d")) == 0
    assert files(tmp_path) == []


def test_equal_pictures_have_one_file_until_the_last_document_goes(catalog: Catalog, tmp_path: Path) -> None:
    for doc_id in ("a", "b"):
        add_document(catalog, doc_id)
        catalog.images.stage(doc_id, [picture(doc_id), picture(doc_id, seq=2)])
        publish(catalog, doc_id)
    assert files(tmp_path) == [".png"]

    for doc_id, left in (("a", [".png"]), ("b", [])):
        with catalog.database.transaction() as connection:
            delete_documents(connection, "d.doc_id = ?", (doc_id,))
        catalog.images.drop_unused()
        assert files(tmp_path) == left


def test_the_next_version_replaces_the_pictures(catalog: Catalog, tmp_path: Path) -> None:
    add_document(catalog, "d")
    for data in (b"first", b"second"):
        catalog.images.stage("d", [picture("d", data=data)])
        publish(catalog, "d")
        catalog.images.drop_unused()

    (row,) = catalog.images.of_document("d")
    assert Path(row["path"]).read_bytes() == b"second"
    assert len(files(tmp_path)) == 1


def test_what_was_staged_and_never_published_is_replaced(catalog: Catalog, tmp_path: Path) -> None:
    add_document(catalog, "d")
    catalog.images.stage("d", [picture("d", data=b"of a killed writer")])
    catalog.images.stage("d", [picture("d")])
    publish(catalog, "d")
    catalog.images.drop_unused()

    assert len(catalog.images.of_document("d")) == 1
    assert len(files(tmp_path)) == 1


def test_a_picture_that_comes_back_before_the_sweep_keeps_its_file(catalog: Catalog, tmp_path: Path) -> None:
    for doc_id in ("a", "b"):
        add_document(catalog, doc_id)
    catalog.images.stage("a", [picture("a")])
    publish(catalog, "a")
    with catalog.database.transaction() as connection:
        delete_documents(connection, "d.doc_id = ?", ("a",))
    catalog.images.stage("b", [picture("b")])

    catalog.images.drop_unused()

    assert files(tmp_path) == [".png"]


def test_a_truncated_file_is_written_again(catalog: Catalog, tmp_path: Path) -> None:
    add_document(catalog, "d")
    catalog.images.stage("d", [picture("d")])
    (file,) = tmp_path.glob("images/*/*")
    file.write_bytes(b"")

    catalog.images.stage("d", [picture("d")])

    assert file.read_bytes() == DATA


def test_get_finds_by_id_within_a_collection(catalog: Catalog) -> None:
    for doc_id, collection in (("a", "library"), ("b", "archive")):
        add_document(catalog, doc_id, collection)
        catalog.images.stage(doc_id, [picture(doc_id)])
        publish(catalog, doc_id)

    assert set(catalog.images.get(["a_2_1", "b_2_1", "absent"])) == {"a_2_1", "b_2_1"}
    assert set(catalog.images.get(["a_2_1", "b_2_1"], "archive")) == {"b_2_1"}


def test_a_catalog_from_before_pictures_gets_their_table(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    catalog.collections.create("library")
    catalog.database.close()
    with sqlite3.connect(tmp_path / "catalog.sqlite3") as connection:
        connection.executescript(
            "DROP TABLE images; DROP TABLE unused_images; ALTER TABLE collections DROP COLUMN changes_from; "
            "PRAGMA user_version=2;"
        )
    connection.close()

    upgraded = Catalog(tmp_path)
    add_document(upgraded, "d")
    upgraded.images.stage("d", [picture("d")])
    publish(upgraded, "d")

    assert isinstance(upgraded.images, Images)
    assert len(upgraded.images.opened("d")) == 1
