"""The writer keeps the files that documents are made from, as long as there are such documents."""

import hashlib
import shutil

import pytest
from toy_embedders import ToyDocumentEmbedder

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.ingest.collection_writer import CollectionWriter
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection
from tests.components.conftest import chunks_of

pytestmark = pytest.mark.integration


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "herons.md"
    path.write_text("herons", encoding="utf-8")
    return path


def write(library, file, keep=True, sha256=None, versions=None, collection="books"):
    library.catalog.collections.create(collection)
    sha256 = sha256 or hashlib.sha256(file.read_bytes()).hexdigest()
    chunks = chunks_of(str(file), ["herons"], collection, sha256=sha256, size=file.stat().st_size)
    embedded = CachedEmbedder(ToyDocumentEmbedder()).run(chunks)
    writer = CollectionWriter(library.chroma, keep_originals=keep)
    run = writer.run(**embedded, collection=collection, sources=[{"path": str(file)}], versions=versions)
    return run["report"]


def kept(library):
    return [path.read_text(encoding="utf-8") for path in (library.catalog.home / "originals").rglob("*.md")]


@pytest.mark.parametrize(("keep", "copies"), [(True, ["herons"]), (False, [])])
def test_copies_are_made_unless_they_are_switched_off(library, file, keep, copies):
    assert write(library, file, keep)["degraded"] == []
    assert kept(library) == copies


def test_copies_are_made_by_default(library):
    assert CollectionWriter(library.chroma).to_dict()["init_parameters"]["keep_originals"] is True


def test_copy_goes_with_the_document(library, file):
    write(library, file)
    delete_document(doc_id_of("books", str(file)), "books")
    assert kept(library) == []


def test_copy_stays_while_another_collection_has_the_same_file(library, file):
    write(library, file)
    write(library, file, collection="other")
    delete_collection("books")
    assert kept(library) == ["herons"]
    delete_collection("other")
    assert kept(library) == []


def test_copy_of_a_changed_file_replaces_the_old_one(library, file):
    write(library, file)
    file.write_text("terns", encoding="utf-8")
    write(library, file)
    assert kept(library) == ["terns"]


def test_file_that_changes_meanwhile_is_told_and_not_kept(library, file):
    [entry] = write(library, file, sha256="1" * 64)["degraded"]
    assert (entry["stage"], entry["source"], entry["chunks"]) == ("keep", str(file), 1)
    assert kept(library) == []
    assert library.catalog.chunks.count("books") == 1


def test_stages_that_run_again_leave_the_copy_as_it_is(library, file):
    write(library, file)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    file.write_text("changed on disk", encoding="utf-8")
    report = write(library, file, sha256=sha256, versions={doc_id_of("books", str(file)): 1})
    assert (report["degraded"], kept(library)) == ([], ["herons"])


def test_copies_move_with_the_hub(library, file, tmp_path, monkeypatch):
    from khub.server.reads.original_file import original_of

    write(library, file)
    file.unlink()
    row = library.catalog.documents.of_collection("books")[0]
    shutil.copytree(library.catalog.home, tmp_path / "moved")
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "moved"))
    found = original_of(row)
    assert found is not None
    assert found.is_relative_to(tmp_path / "moved")
    assert found.read_text(encoding="utf-8") == "herons"
    delete_document(row["doc_id"], "books")
    assert not found.exists()
    assert open_catalog().documents.of_collection("books") == []
