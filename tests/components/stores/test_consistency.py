"""Whatever differs between catalog, dense index and keyword index is found; a healthy collection gives no word."""

import re

import numpy as np
import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from khub.components.stores import consistency
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.consistency import examine
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.sparse_index import SparseIndex

pytestmark = pytest.mark.integration


@pytest.fixture
def birds(shelf):
    new = shelf.document("birds", ["herons wade slowly", "swifts sleep aloft", "terns dive steeply"])
    shelf.write(new, shelf.document("fish", ["trout swim upstream"]))
    return new


def found(shelf, full=False):
    return examine(shelf.writer().indexes, full)


def sql(shelf, statement, *values):
    with shelf.catalog.database.transaction() as connection:
        connection.execute(statement, values)


def change_store(shelf, change):
    with shelf.writer().writing() as writer:
        change(writer.indexes.dense())
        writer.indexes.mark_whole()


def test_healthy_collection_is_silent(shelf, birds):
    findings = found(shelf)
    assert (findings.problems, findings.legs) == ([], set())
    assert (findings.documents, findings.chunks, findings.searched) == (2, 4, 4)


def test_empty_collection_is_silent(shelf):
    assert found(shelf).problems == []
    assert not (shelf.catalog.home / "dense" / "shelf_g1").exists()


def test_collection_whose_last_document_was_deleted_is_silent(shelf, birds):
    with shelf.writer().writing() as writer:
        writer.delete([row["doc_id"] for row in shelf.catalog.documents.of_collection(shelf.name)])
    findings = found(shelf)
    assert (findings.problems, findings.chunks) == ([], 0)


def test_equal_texts_are_no_problem(shelf):
    shelf.write(*(shelf.document(f"copy{n}", ["the same words"]) for n in range(30)))
    assert found(shelf).problems == []


def sparse_of(shelf):
    return SparseIndex(sparse_folder(shelf.catalog.home, "shelf_g1"))


def remember(shelf):
    with shelf.writer().writing() as writer:
        writer.indexes.mark_whole()


def test_missing_and_extra_chunks_of_the_keyword_index(shelf, birds):
    sparse_of(shelf).write([("ghost1", ["x"]), ("ghost2", ["x"])], removed=[birds.chunks[0].id])
    remember(shelf)
    findings = found(shelf)
    (problem,) = findings.problems
    assert re.search(r"keyword index: 1 .* 2 ", problem)
    assert findings.legs == {"sparse"}


def test_missing_and_extra_chunks_of_the_dense_index(shelf, birds):
    ghost = Document(id="ghost", embedding=[1.0] * 32)
    change_store(shelf, lambda store: store.write_documents([ghost], DuplicatePolicy.OVERWRITE))
    change_store(shelf, lambda store: store.delete_documents([c.id for c in birds.chunks[:2]]))
    findings = found(shelf)
    assert any(re.search(r"dense index: 2 .* 1 ", problem) for problem in findings.problems)
    assert findings.legs == {"dense"}


def test_vector_that_is_not_that_of_the_chunk(shelf, monkeypatch):
    new = shelf.document("birds", [f"bird {n}" for n in range(200)])
    shelf.write(new)
    wrong = Document(id=new.chunks[0].id, embedding=[-x for x in new.chunks[0].embedding])
    change_store(shelf, lambda store: store.write_documents([wrong], DuplicatePolicy.OVERWRITE))
    findings = found(shelf)
    assert ["dense index: 1 of 200 " in problem for problem in findings.problems] == [True]
    assert findings.legs == {"dense"}
    monkeypatch.setattr(consistency, "SAMPLE", 5)
    assert found(shelf).searched == 5
    assert found(shelf, full=True).searched == 200
    assert found(shelf, full=True).problems == findings.problems


def test_vector_that_lies_beside_its_own(shelf):
    """A search by the right vector still finds it: what is stored has to be looked at."""
    new = shelf.document("birds", [f"bird {n}" for n in range(20)])
    shelf.write(new)
    astray = Document(id=new.chunks[0].id, embedding=(np.array(new.chunks[0].embedding) + 0.03).tolist())
    change_store(shelf, lambda store: store.write_documents([astray], DuplicatePolicy.OVERWRITE))
    assert found(shelf).problems == ["dense index: 1 of 20 chunks have another vector than their own"]


@pytest.mark.parametrize(("unreached", "healthy"), [(0, True), (2, True), (3, False)])
def test_vectors_that_an_approximate_search_does_not_reach(shelf, monkeypatch, unreached, healthy):
    new = shelf.document("birds", [f"bird {n}" for n in range(100)])
    shelf.write(new)
    search, hidden = ChromaStore.search_embeddings, {c.id for c in new.chunks[:unreached]}

    def misses(self, *arguments, **named):
        return [[hit for hit in hits if hit.id not in hidden] for hits in search(self, *arguments, **named)]

    monkeypatch.setattr(ChromaStore, "search_embeddings", misses)
    findings = found(shelf)
    assert (not findings.problems, findings.legs) == (healthy, set() if healthy else {"dense"})
    told = [line for line in findings.problems + findings.notes if "not reached" in line]
    assert [line.removeprefix("dense index: ").split()[0] for line in told] == ([str(unreached)] if unreached else [])
    monkeypatch.setattr(ChromaStore, "vectors", lambda self, ids: {})
    assert bool(found(shelf).problems) == bool(unreached)  # of a store that does not say what it has, none is excused


def test_vector_missing_in_the_catalog(shelf, birds):
    sql(shelf, "DELETE FROM vectors WHERE text_hash = ?", birds.chunks[0].meta["text_hash"])
    (problem,) = found(shelf).problems
    assert (problem.startswith("1 chunks "), "khub reindex" in problem) == (True, True)


def test_stopped_writer(shelf, birds):
    shelf.catalog.index_states.mark_dirty(shelf.name)
    findings = found(shelf)
    assert ["a writer was stopped" in problem for problem in findings.problems] == [True]
    assert findings.legs == {"dense"}


def test_staged_chunks_of_a_dead_writer(shelf, birds):
    shelf.catalog.chunks.stage(shelf.document("new", ["never seen"]), "fp")
    findings = found(shelf)
    assert ["a process was stopped" in problem for problem in findings.problems] == [True]
    assert findings.legs == set()


@pytest.mark.parametrize(("leg", "name"), [("dense", "dense"), ("sparse", "sparse")])
def test_leg_that_was_found_damaged(shelf, birds, leg, name):
    shelf.catalog.index_states.mark_damaged(shelf.name, leg)
    findings = found(shelf)
    assert findings.problems == [f"the {name} index was found damaged"]
    assert findings.legs == {leg}


def test_wrong_count_of_a_document(shelf, birds):
    sql(shelf, "UPDATE documents SET chunks = 9 WHERE doc_id = ?", birds.doc_id)
    assert found(shelf).problems == ["documents claim 10 chunks, 4 are there"]


def test_damaged_keyword_file_of_the_same_size_and_time(shelf, birds):
    manifest = shelf.catalog.index_states.manifest(shelf.name)
    name = max(manifest["sparse"], key=lambda n: manifest["sparse"][n][0])
    _flip(sparse_folder(shelf.catalog.home, "shelf_g1") / name)
    findings = found(shelf)
    assert [f"file {name} " in problem for problem in findings.problems] == [True]
    assert findings.legs == {"sparse"}


def test_damaged_dense_file(shelf):
    shelf.write(shelf.document("long", [f"number{n}" for n in range(1100)]))
    manifest = shelf.catalog.index_states.manifest(shelf.name)
    name = max(manifest["dense"], key=lambda n: manifest["dense"][n][0])
    _flip((shelf.catalog.home / "dense" / "shelf_g1") / name)
    findings = found(shelf)
    assert [f"file {name} " in problem for problem in findings.problems] == [True]
    assert findings.legs == {"dense"}


def _flip(file):
    import os

    stat, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes(content)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_lost_folders(shelf, birds):
    import shutil

    shutil.rmtree(shelf.catalog.home / "sparse")
    shutil.rmtree(shelf.catalog.home / "dense")
    findings = found(shelf)
    assert findings.legs == {"dense", "sparse"}
    assert len(findings.problems) >= 2


@pytest.mark.parametrize("break_it", ["dense", "sparse", "both"])
def test_what_is_found_is_repaired(shelf, birds, break_it):
    if break_it != "sparse":
        change_store(shelf, lambda store: store.delete_documents([birds.chunks[0].id]))
    if break_it != "dense":
        sparse_of(shelf).write([], removed=[birds.chunks[0].id])
        remember(shelf)
    findings = found(shelf)
    assert findings.problems
    with shelf.writer().writing(repair=False) as writer:
        writer.repair(sorted(findings.legs))
    assert found(shelf, full=True).problems == []
