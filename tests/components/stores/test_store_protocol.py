"""The hub's own stores keep what is written of a store, and what is optional is used where a class has it."""

import pytest
from haystack.core.serialization import allow_deserialization_module, import_class_by_name

from khub.components.stores.store_protocol import (
    BulkLoading,
    Closable,
    CountsWords,
    Droppable,
    FileBacked,
    Listable,
    OneProcess,
    close_store,
)

pytestmark = pytest.mark.unit
EACH = {Closable, Droppable}
KEPT = {
    "chroma_store.ChromaStore": EACH | {Listable, FileBacked},
    "pgvector_store.PgvectorStore": EACH | {Listable, BulkLoading},
    "qdrant_store.QdrantStore": EACH | {OneProcess},
    "milvus_store.MilvusStore": EACH | {Listable, OneProcess, CountsWords},
}


@pytest.mark.parametrize(("path", "kept"), KEPT.items())
def test_our_stores_keep_what_is_written(path, kept):
    allow_deserialization_module("khub.components.*")
    try:
        store = import_class_by_name(f"khub.components.stores.{path}")
    except ImportError as error:
        pytest.skip(f"an extra is not installed: {error}")
    made = store.__new__(store)  # nothing is opened
    for name in ("_persist_path", "_folder", "_file"):
        setattr(made, name, None)
    protocols = {*EACH, Listable, FileBacked, OneProcess, BulkLoading, CountsWords}
    assert {protocol for protocol in protocols if isinstance(made, protocol)} == kept


def test_a_store_without_anything_to_close_is_left():
    close_store(object())
