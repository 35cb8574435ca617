"""Deleting leaves nothing; reindexing loses nothing."""

import threading

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import Chunks
from khub.components.catalog.collections import Collections
from khub.components.stores.collection_lock import CollectionLocks
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import Reindexed, delete_collection, delete_documents, reindex, writer_of
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration
WRITER = "CollectionWriter\n    init_parameters:\n"


@pytest.fixture(autouse=True)
def _filled(pipelines, notes, fill_once):
    fill_once("notes by the shipped graphs", lambda: ingest([str(notes)]))


def cited(query, **more):
    return [c.text for c in ask(query, **more).citations]


def bytes_under(folder):
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


def test_deleted_document_is_gone_from_everywhere():
    assert any("Trout" in text for text in cited("trout"))
    row = delete_document("fish.txt")
    assert row["source"].endswith("fish.txt")
    assert not any("Trout" in text for text in cited("trout swim upstream"))
    catalog = open_catalog()
    assert catalog.chunks.count("default") == 2
    assert catalog.database.row("SELECT COUNT(*) FROM vectors")[0] == 2
    assert diagnose()[0].healthy
    with raises_code("document_unknown", "'fish.txt'"):
        delete_document("fish.txt")


def test_text_of_a_deleted_document_is_not_left_in_the_catalog(tmp_path):
    delete_document("fish.txt")
    open_catalog().database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"upstream" not in bytes_under(open_catalog().home / "sparse")
    assert b"Trout swim upstream" not in (open_catalog().home / "catalog.sqlite3").read_bytes()


def test_failed_document_can_be_deleted(notes):
    (notes / "empty.md").write_bytes(b"")
    ingest([str(notes)])
    assert len(open_catalog().documents.of_collection("default")) == 4
    delete_document("empty.md")
    assert len(open_catalog().documents.of_collection("default")) == 3


@pytest.fixture
def lock_is_asked_for(monkeypatch):
    """An event: somebody waits for a writer's lock, or is about to."""
    asked, original = threading.Event(), CollectionLocks.writer

    def writer(self):
        asked.set()
        return original(self)

    monkeypatch.setattr(CollectionLocks, "writer", writer)
    return asked


def deleting(delete, *names):
    thread = threading.Thread(target=delete, args=names, daemon=True)
    thread.start()
    return thread


def test_document_is_deleted_although_its_first_version_is_just_being_written(notes, monkeypatch, lock_is_asked_for):
    (notes / "late.md").write_text("# Eels\n\nEels cross the ocean at night.\n", encoding="utf-8")
    publish, threads = Chunks.publish, []

    def delete_first(self, new):
        lock_is_asked_for.clear()
        threads.append(deleting(delete_document, "late.md"))
        assert lock_is_asked_for.wait(10)
        publish(self, new)

    with monkeypatch.context() as changed:
        changed.setattr(Chunks, "publish", delete_first)
        assert [w["chunks"] for w in ingest([str(notes)]).written] == [1]
        threads[0].join(20)
    catalog = open_catalog()
    assert len(catalog.documents.of_collection("default")) == catalog.chunks.count("default") == 3
    assert catalog.database.row("SELECT COUNT(*) FROM vectors")[0] == 3
    assert not writer_of(catalog, "default").needs_repair()
    assert diagnose()[0].healthy


@pytest.mark.parametrize("delete", [delete_document, delete_collection])
def test_deletion_that_waits_behind_the_first_ingest_leaves_nothing(notes, monkeypatch, lock_is_asked_for, delete):
    catalog, fish = open_catalog(), str(notes / "fish.txt")
    catalog.collections.create("new")
    catalog.documents.record_failure("new", fish, "was locked", "unlock it")
    bind, threads = Collections.bind, []

    def delete_first(self, name, binding):
        if name == "new" and not threads:
            lock_is_asked_for.clear()
            threads.append(deleting(delete, *([fish] if delete is delete_document else []), "new"))
            assert lock_is_asked_for.wait(10)
        return bind(self, name, binding)

    monkeypatch.setattr(Collections, "bind", delete_first)
    delete_document("fish.txt", "default")  # so that no other collection has its text
    assert len(ingest([fish], "new").written) == 1
    threads[0].join(20)
    assert catalog.database.row("SELECT COUNT(*) FROM chunks")[0] == 2
    assert catalog.database.row("SELECT COUNT(*) FROM vectors")[0] == 2
    if delete is delete_document:
        assert not writer_of(catalog, "new").needs_repair()
        assert diagnose("new")[0].healthy
    else:
        assert catalog.collections.names() == ["default"]
        for leg in ("dense", "sparse"):
            assert [p.name.rpartition("_g")[0] for p in (catalog.home / leg).iterdir()] == ["default"]


def test_deleted_document_comes_back_by_ingest(notes):
    delete_document("fish.txt")
    assert len(ingest([str(notes)]).written) == 1
    assert any("Trout" in text for text in cited("trout"))


def test_deleted_collection_leaves_no_file_and_no_row(notes):
    ingest([str(notes)], collection="other")
    assert delete_collection("default") == 3
    catalog = open_catalog()
    assert catalog.collections.names() == ["other"]
    for leg in ("dense", "sparse"):
        assert [p.name for p in (catalog.home / leg).iterdir()] == [catalog.index_states.state("other").physical(leg)]
    assert any("Trout" in text for text in cited("trout"))
    with raises_code("collection_unknown", "'default'"):
        delete_collection("default")


def test_collection_of_the_same_name_is_a_new_one_for_open_readers(notes):
    assert cited("trout")
    delete_collection("default")
    (notes / "fish.txt").write_text("Eels cross the ocean at night.", encoding="utf-8")
    ingest([str(notes / "fish.txt")])
    answer = ask("where do eels cross?")
    assert [c.text for c in answer.citations] == ["Eels cross the ocean at night."]
    assert {leg.name: leg.hits for leg in answer.legs} == {"dense": 1, "sparse": 1}


def test_empty_collection_can_be_deleted_and_not_written():
    open_catalog().collections.create("empty")
    with raises_code("collection_empty", "khub ingest PATH --collection empty"):
        writer_of(open_catalog(), "empty")
    assert delete_collection("empty") == 0


def test_reindex_moves_to_the_graphs_embedder_and_store(pipelines, notes):
    before = open_catalog().collections.binding("default")
    edit(pipelines / "ingest.yaml", "model: khub-base", "prefix: 'passage: '")
    edit(pipelines / "ingest.yaml", "distance_function: cosine", "distance_function: l2")
    seen = []
    assert reindex(on_progress=seen.append) == {
        "collection": "default", "chunks": 3, "graph": "ingest", "left": [],
    }  # fmt: skip
    assert seen[-1] == Reindexed(done=3, total=3, kept=0, pages=0, written=3)
    after = open_catalog().collections.binding("default")
    assert after["embedder"]["fingerprint"] != before["embedder"]["fingerprint"]
    assert after["store"] != before["store"]
    assert any("Trout" in text for text in cited("trout", legs=["dense"]))
    assert len(ingest([str(notes)]).unchanged) == 3
    assert open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0] == 3
    assert diagnose()[0].healthy


def test_reindex_keeps_the_tokens_of_chunks_that_have_none_or_others():
    database = open_catalog().database
    query = "SELECT chunk_id, tokens FROM chunks ORDER BY chunk_id"
    before = database.rows(query)
    assert all(tokens for _, tokens in before)
    with database.transaction() as connection:
        connection.execute("UPDATE chunks SET tokens = NULL WHERE chunk_id = ?", (before[0][0],))
        connection.execute("UPDATE chunks SET tokens = ? WHERE chunk_id = ?", (b"older", before[1][0]))
    reindex()
    assert database.rows(query) == before


def test_a_graph_without_an_interaction_model_leaves_tokens_as_they_are(pipelines):
    edit(pipelines / "ingest.yaml", WRITER, f"{WRITER}      interaction_model: null\n")
    database = open_catalog().database
    with database.transaction() as connection:
        connection.execute("UPDATE chunks SET tokens = NULL")
    reindex()
    assert database.row("SELECT COUNT(tokens) FROM chunks")[0] == 0


def test_reindex_to_the_same_embedder_changes_no_answer():
    before = cited("trout swim")
    reindex("default")
    assert cited("trout swim") == before
    assert diagnose()[0].healthy


@pytest.mark.parametrize("what", ["document", "collection"])
def test_the_copy_of_an_earlier_catalog_goes_with_what_is_deleted(notes, what):
    ingest([str(notes)])
    copy = open_catalog().home / "catalog-8.sqlite3"
    own = copy.with_name("catalog-backup.sqlite3")
    for file in (copy, own):
        file.write_bytes(b"texts of before")
    if what == "document":
        delete_documents([open_catalog().documents.of_collection("default")[0]["doc_id"]], "default")
    else:
        delete_collection("default")
    assert not copy.exists()
    assert own.exists()
