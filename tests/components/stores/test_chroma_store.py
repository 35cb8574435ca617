"""Chroma as a Haystack store: batches, policies, ids, distances."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from chromadb.utils import embedding_functions
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

from khub.components.errors import StoreError
from khub.components.stores.chroma_store import ChromaStore

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[3]


@pytest.fixture
def make(tmp_path):
    stores = []

    def make(name="docs", **parameters):
        parameters.setdefault("persist_path", str(tmp_path / name))
        stores.append(ChromaStore(name, **parameters))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


def vectors(count, dimension=8, seed=0):
    rng = np.random.default_rng(seed)
    return [Document(id=f"c{n:05}", embedding=rng.standard_normal(dimension).tolist()) for n in range(count)]


def test_nothing_is_opened_before_it_is_used(make, tmp_path):
    store = make()
    assert store.folder == tmp_path / "docs"
    assert not store.folder.exists()
    assert store.index_files() == []
    assert list(store.ids()) == []
    assert store.folder.exists()


def test_more_than_chroma_takes_at_once_is_written_read_and_deleted(make, monkeypatch):
    store, documents = make(), vectors(6100)
    assert store.write_documents(documents, DuplicatePolicy.OVERWRITE) == 6100
    assert set(store.ids()) == {d.id for d in documents}
    assert len(store.index_files()) >= 4
    assert all(file.suffix in {".bin", ".pickle"} for file in store.index_files())
    store.delete_documents([d.id for d in documents[10:]])
    assert sorted(store.ids()) == [d.id for d in documents[:10]]


def test_policies(make):
    store = make()
    one, two = vectors(2)
    assert store.write_documents([one]) == 1
    changed = Document(id=one.id, embedding=[-x for x in one.embedding])
    for policy in (DuplicatePolicy.NONE, DuplicatePolicy.FAIL):
        with pytest.raises(DuplicateDocumentError, match=one.id):
            store.write_documents([two, changed], policy)
    assert list(store.ids()) == [one.id]
    assert store.write_documents([two, changed], DuplicatePolicy.SKIP) == 1
    assert nearest(store, one) == pytest.approx({one.id: 0}, abs=1e-5)
    assert store.write_documents([changed], DuplicatePolicy.OVERWRITE) == 1
    assert nearest(store, changed) == pytest.approx({one.id: 0}, abs=1e-5)
    assert store.write_documents([], DuplicatePolicy.SKIP) == 0
    assert store.count_documents() == 2


def nearest(store, document, top_k=1):
    (found,) = store.search_embeddings([document.embedding], top_k)
    return {d.id: d.score for d in found}


def test_unknown_ids_are_passed_over(make):
    store = make()
    store.write_documents(vectors(2), DuplicatePolicy.OVERWRITE)
    store.delete_documents(["none", "c00000"])
    store.delete_documents([])
    assert list(store.ids()) == ["c00001"]


def test_only_ids_and_vectors_are_stored(make):
    store = make()
    (document,) = vectors(1)
    store.write_documents([Document(id="x", content="secret words", meta={"a": 1}, embedding=document.embedding)])
    kept = store.collection.get(include=["documents", "metadatas"])
    assert kept["documents"] == [None]
    assert kept["metadatas"] == [None]


@pytest.mark.parametrize(("distance", "wanted"), [("cosine", 0.0), ("l2", 4.0), ("ip", -2.0)])
def test_distance_function(make, distance, wanted):
    store = make(distance_function=distance)
    store.write_documents([Document(id="x", embedding=[3.0, 0.0])])
    (found,) = store.search_embeddings([[1.0, 0.0]], 1)
    assert found[0].score == pytest.approx(wanted)


def test_sync_threshold_decides_when_files_are_written(make, tmp_path):
    early, late = make("early", sync_threshold=100), make("late", sync_threshold=1000)
    for store in (early, late):
        store.write_documents(vectors(300), DuplicatePolicy.OVERWRITE)
    assert sum(f.stat().st_size for f in early.index_files()) > sum(f.stat().st_size for f in late.index_files())


WORK_ON_STAINED_MEMORY = """
import sys
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from khub.components.errors import StoreError
from khub.components.stores.chroma_store import ChromaStore
documents = [Document(id=f"c{n}", embedding=[1.0, float(n)]) for n in range(3)]
store = ChromaStore("docs", persist_path=sys.argv[2])
if sys.argv[1] == "write":
    store.write_documents(documents, DuplicatePolicy.OVERWRITE)
elif sys.argv[1] == "delete":
    store.delete_documents(["c0"])
elif sys.argv[1] == "close":
    store.search_embeddings([[1.0, 0.0]], 1)
    store.close()
    store.search_embeddings([[1.0, 0.0]], 1)
else:
    assert store.search_embeddings([[1.0, 0.0]], 1, {} if sys.argv[1] == "search" else FILTER)[0][0].id == "c0"
"""
FILTER = {"field": "meta.a", "operator": "!=", "value": 1}


def in_a_process(work, folder, **environment):
    code = WORK_ON_STAINED_MEMORY.replace("FILTER", repr(FILTER))
    subprocess.run([sys.executable, "-c", code, work, str(folder)], env=os.environ | environment, cwd=ROOT, check=True)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of a store that holds something."""
    folder = tmp_path_factory.mktemp("written")
    in_a_process("write", folder)
    return folder


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone fills new memory with a mark")
@pytest.mark.parametrize("work", ["search", "filter", "close", "delete", "write"])
def test_what_freed_memory_held_never_reaches_the_disk(tmp_path, written, work):
    if work != "write":
        shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    # All new memory holds 0xA5, as if something had been there before.
    in_a_process(work, tmp_path, MALLOC_PERTURB_="90")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"data_level0.bin", "length.bin"} <= {file.name for file in files}
    assert [file.name for file in files if b"\xa5" * 8 in file.read_bytes()] == []


def test_parameters_of_the_graph_reach_chroma(make):
    index = make(construction_ef=50, search_ef=60, links=8).collection.configuration["hnsw"]
    assert (index["ef_construction"], index["ef_search"], index["max_neighbors"]) == (50, 60, 8)


def test_collections_in_one_folder_are_apart(make, tmp_path):
    one, other = make("one", persist_path=str(tmp_path / "both")), make("two", persist_path=str(tmp_path / "both"))
    one.write_documents(vectors(3), DuplicatePolicy.OVERWRITE)
    assert list(other.ids()) == []


def test_server_parameters_reach_the_client(make, monkeypatch):
    import chromadb

    asked = {}

    def client(**parameters):
        asked.update(parameters)
        raise ConnectionError("no server")

    monkeypatch.setattr(chromadb, "HttpClient", client)
    store = make(persist_path=None, host="chroma.local", port=9999)
    assert store.folder is None
    assert store.index_files() == []
    with pytest.raises(ConnectionError):
        store.count_documents()
    assert (asked["host"], asked["port"]) == ("chroma.local", 9999)


def test_round_trip(tmp_path):
    parameters = {
        "collection_name": "x", "persist_path": str(tmp_path), "host": None, "port": None, "distance_function": "l2",
        "sync_threshold": 7, "construction_ef": 50, "search_ef": 60, "links": 8,
    }  # fmt: skip
    data = ChromaStore(**parameters).to_dict()
    assert data["init_parameters"] == parameters
    assert ChromaStore.from_dict(data).to_dict() == data


FUNCTION = {"type": "known", "name": "sentence_transformer", "config": {"model_name": "x", "kwargs": {}}}


def _in_configuration(row):
    return json.dumps({"hnsw": {}, "embedding_function": FUNCTION}), None  # as older versions store it


def _in_schema(row):
    schema = json.loads(row["schema_str"])
    schema["keys"]["#embedding"]["float_list"]["vector_index"]["config"]["embedding_function"] = FUNCTION
    return row["config_json_str"], json.dumps(schema)


def _sparse(row):
    schema = json.loads(row["schema_str"])
    index = {"enabled": True, "config": {"source_key": "#document", "embedding_function": FUNCTION}}
    schema["keys"]["words"] = {"sparse_vector": {"sparse_vector_index": index}}
    return row["config_json_str"], json.dumps(schema)


@pytest.mark.parametrize("poison", [_in_configuration, _in_schema, _sparse])
def test_a_collection_of_another_that_names_an_embedding_function_is_refused_and_builds_nothing(
    make, tmp_path, monkeypatch, poison
):
    built = []

    class Function:
        @staticmethod
        def build_from_config(config):
            built.append(config)
            raise ValueError

    for known in (embedding_functions.known_embedding_functions, embedding_functions.sparse_known_embedding_functions):
        monkeypatch.setitem(known, "sentence_transformer", Function)
    store = make()
    store.write_documents(vectors(2), DuplicatePolicy.OVERWRITE)
    store.close()
    database = sqlite3.connect(tmp_path / "docs" / "chroma.sqlite3")
    database.row_factory = sqlite3.Row
    poisoned = poison(database.execute("SELECT * FROM collections").fetchone())
    database.execute("UPDATE collections SET config_json_str = ?, schema_str = ?", poisoned)
    database.commit()
    database.close()

    for use in (
        lambda: store.write_documents(vectors(3), DuplicatePolicy.OVERWRITE),
        lambda: store.search_embeddings([[1.0] * 8], 1),
        lambda: store.delete_documents(["c00000"]),
        store.count_documents,
    ):
        with pytest.raises(StoreError, match="sentence_transformer"):
            use()
    assert built == []
