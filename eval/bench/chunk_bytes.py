"""What catalog and indexes take on disk, in a file or in PostgreSQL, and vectors in pgvector."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.server.reads.stored_bytes import size_of

COLUMNS = {"text": ("chunks", "content"), "tokens": ("chunks", "tokens"), "vectors": ("vectors", "vector")}
DIMENSION = 384


def hub_bytes(home: Path, postgres: bool) -> dict[str, int]:
    """Return the bytes of the catalog, of its largest columns, and of both indexes."""
    catalog = _of_postgres() if postgres else _of_sqlite(home / "catalog.sqlite3")
    return catalog | {"keywords": size_of(home / "sparse"), "vector_index": size_of(home / "dense")}


def pgvector_bytes(collection: str) -> dict[str, int]:
    """Put a collection's vectors into a table of pgvector; return what table and index take, in bytes a vector."""
    import psycopg
    from haystack import Document

    from khub.components.stores.pgvector_store import PgvectorStore

    catalog = open_catalog()
    fingerprint = catalog.collections.binding(collection)["embedder"]["fingerprint"]
    rows = list(catalog.vectors.of_collection(collection, fingerprint))
    store = PgvectorStore(
        table_name="measured", embedding_dimension=DIMENSION, search_strategy="hnsw", hnsw_ef_search=400
    )
    documents = [Document(id=chunk_id, embedding=vector.tolist()) for chunk_id, vector in rows if vector is not None]
    with store.loading():
        store.write_documents(documents)
    store.close()
    with psycopg.connect(os.environ["KHUB_DATABASE_URL"]) as connection:
        sizes = connection.execute("SELECT pg_table_size('measured'), pg_relation_size('measured_hnsw')").fetchone()
    assert sizes is not None
    return {"pgvector_table": round(sizes[0] / len(documents)), "pgvector_index": round(sizes[1] / len(documents))}


def _of_sqlite(file: Path) -> dict[str, int]:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        columns = _columns(lambda sql: connection.execute(sql).fetchone()[0], "LENGTH(CAST({} AS BLOB))")
        return {"catalog": size_of(file), **columns}


def _of_postgres() -> dict[str, int]:
    import psycopg

    with psycopg.connect(os.environ["KHUB_DATABASE_URL"], options="-c search_path=khub") as connection:

        def one(sql: Any) -> Any:
            row = connection.execute(sql).fetchone()
            return row[0] if row else 0

        size = one(
            "SELECT SUM(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'khub'::regnamespace"
        )
        return {"catalog": int(size), **_columns(one, "OCTET_LENGTH({})")}


def _columns(one: Callable[[str], Any], length: str) -> dict[str, int]:
    return {
        name: int(one(f"SELECT COALESCE(SUM({length.format(column)}), 0) FROM {table}"))
        for name, (table, column) in COLUMNS.items()
    }
