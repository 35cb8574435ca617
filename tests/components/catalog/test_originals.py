import hashlib
import os
import sqlite3
from pathlib import Path

import pytest

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.deletion import delete_documents, delete_superseded_files

pytestmark = pytest.mark.unit

DATA = b"%PDF-1.7 one"
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = Catalog(tmp_path / "hub", os.environ.get("KHUB_DATABASE_URL", ""))
    catalog.collections.create("library")
    return catalog


def add(catalog: Catalog, folder: Path, name: str, data: bytes = DATA) -> str:
    """Make a file and the document of it; return its path."""
    file = folder / name
    file.write_bytes(data)
    with catalog.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (doc_id, collection, source, status, updated_at) "
            "VALUES (?, 'library', ?, 'pending', '') ON CONFLICT DO NOTHING",
            (name, str(file)),
        )
    return str(file)


def stage(catalog: Catalog, source: str, sha256: str = SHA) -> None:
    catalog.originals.stage(Path(source).name, source, sha256)


def publish(catalog: Catalog, doc_id: str, sha256: str = SHA) -> None:
    with catalog.database.transaction() as connection:
        connection.execute("UPDATE documents SET version = version + 1, sha256 = ? WHERE doc_id = ?", (sha256, doc_id))
        delete_superseded_files(connection, doc_id)
    catalog.originals.drop_unused()


def delete(catalog: Catalog, doc_id: str) -> None:
    with catalog.database.transaction() as connection:
        delete_documents(connection, "d.doc_id = ?", (doc_id,))
    catalog.originals.drop_unused()


def kept(catalog: Catalog) -> list[bytes]:
    return [file.read_bytes() for file in (catalog.home / "originals").glob("*/*")]


def test_a_copy_lies_under_its_content_with_the_suffix_of_the_file(catalog, tmp_path):
    source = add(catalog, tmp_path, "a.PDF")
    stage(catalog, source)
    publish(catalog, "a.PDF")
    path = catalog.home / "originals" / SHA[:2] / f"{SHA}.pdf"
    assert path.read_bytes() == DATA
    assert catalog.originals.path(SHA, source) == path
    assert catalog.originals.has({"source": source, "sha256": SHA})


def test_equal_files_have_one_copy_until_the_last_document_goes(catalog, tmp_path):
    for name in ("a.pdf", "b.pdf"):
        stage(catalog, add(catalog, tmp_path, name))
        publish(catalog, name)
    assert kept(catalog) == [DATA]
    delete(catalog, "a.pdf")
    assert kept(catalog) == [DATA]
    delete(catalog, "b.pdf")
    assert kept(catalog) == []


def test_the_copy_of_a_replaced_file_goes_when_the_new_version_is_seen(catalog, tmp_path):
    source = add(catalog, tmp_path, "a.pdf")
    stage(catalog, source)
    publish(catalog, "a.pdf")
    other = b"two"
    Path(source).write_bytes(other)
    stage(catalog, source, hashlib.sha256(other).hexdigest())
    catalog.originals.drop_unused()
    assert sorted(kept(catalog)) == sorted([DATA, other])
    publish(catalog, "a.pdf", hashlib.sha256(other).hexdigest())
    assert kept(catalog) == [other]


def test_a_version_of_the_same_content_keeps_the_copy(catalog, tmp_path):
    stage(catalog, add(catalog, tmp_path, "a.pdf"))
    publish(catalog, "a.pdf")
    publish(catalog, "a.pdf")
    assert kept(catalog) == [DATA]


def test_what_was_staged_and_never_seen_goes_with_the_next_attempt(catalog, tmp_path):
    source = add(catalog, tmp_path, "a.pdf", b"of a killed writer")
    stage(catalog, source, hashlib.sha256(b"of a killed writer").hexdigest())
    stage(catalog, add(catalog, tmp_path, "a.pdf"))
    publish(catalog, "a.pdf")
    assert kept(catalog) == [DATA]


def test_a_file_that_has_changed_is_not_kept_under_a_wrong_name(catalog, tmp_path, caplog):
    source = add(catalog, tmp_path, "a.pdf", b"changed since")
    stage(catalog, source)
    publish(catalog, "a.pdf")
    assert kept(catalog) == []
    assert not catalog.originals.has({"source": source, "sha256": SHA})
    assert "no copy of" in caplog.text


def test_a_file_that_cannot_be_read_is_told(catalog, tmp_path, caplog, monkeypatch):
    source = add(catalog, tmp_path, "a.pdf")
    opened = Path.open

    def refuse(path, *arguments, **more):
        if path == Path(source):
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", refuse)
    stage(catalog, source)
    assert "Permission denied" in caplog.text
    assert kept(catalog) == []


def test_what_is_no_file_is_passed_over(catalog, tmp_path, caplog):
    source = f"{tmp_path / 'table.csv'}#row=1"
    stage(catalog, source)
    assert kept(catalog) == []
    assert catalog.originals.has({"source": source, "sha256": SHA})
    assert not caplog.text


def test_a_truncated_copy_is_written_again_and_a_whole_one_is_left(catalog, tmp_path):
    source = add(catalog, tmp_path, "a.pdf")
    stage(catalog, source)
    path = catalog.originals.path(SHA, source)
    path.write_bytes(b"")
    catalog.originals.stage("a.pdf", source, SHA, len(DATA))
    assert path.read_bytes() == DATA
    before = path.stat().st_ino
    catalog.originals.stage("a.pdf", source, SHA, len(DATA))
    assert path.stat().st_ino == before


def test_a_copy_that_is_open_goes_the_next_time(catalog, tmp_path, monkeypatch):
    stage(catalog, add(catalog, tmp_path, "a.pdf"))
    publish(catalog, "a.pdf")

    def refuse(path, missing_ok=False):
        raise PermissionError(13, "it is open")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        delete(catalog, "a.pdf")
    assert kept(catalog) == [DATA]
    catalog.originals.drop_unused()
    assert kept(catalog) == []


def test_a_catalog_from_before_originals_gets_their_table(tmp_path):
    catalog = Catalog(tmp_path / "hub")
    catalog.collections.create("library")
    catalog.database.close()
    with sqlite3.connect(catalog.database.path) as connection:
        connection.executescript(
            "DROP TABLE originals; DROP TABLE unused_originals; ALTER TABLE collections DROP COLUMN changes_from; "
            "PRAGMA user_version=3;"
        )
    connection.close()
    upgraded = Catalog(tmp_path / "hub")
    stage(upgraded, add(upgraded, tmp_path, "a.pdf"))
    publish(upgraded, "a.pdf")
    assert kept(upgraded) == [DATA]
