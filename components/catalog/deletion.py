"""Rows that go together: a chunk with what refers to it, a document with its chunks, pictures and file."""

from collections.abc import Sequence
from typing import Any

from khub.components.catalog.transaction import Transaction

CHUNK = "chunks c WHERE c.chunk_id = {0}.chunk_id AND c.version = {0}.version"


def delete_chunks(connection: Transaction, which: str, values: Sequence[Any]) -> None:
    """Delete chunks, their places among the duplicates, and the keys of those of which no version is left.

    :param which: a condition on `chunks c`.
    """
    gone = f"EXISTS (SELECT 1 FROM {CHUNK.format('duplicates')} AND {which})"
    connection.execute(f"DELETE FROM duplicates WHERE {gone}", values)
    last = (
        f"SELECT n.id FROM chunks c JOIN keyed_chunks n ON n.chunk_id = c.chunk_id WHERE {which} AND NOT EXISTS "
        f"(SELECT 1 FROM chunks o WHERE o.chunk_id = c.chunk_id AND NOT EXISTS "
        f"(SELECT 1 FROM chunks c WHERE c.chunk_id = o.chunk_id AND c.version = o.version AND {which}))"
    )
    keyed = [(row[0],) for row in connection.execute(last, (*values, *values)).fetchall()]
    connection.executemany("DELETE FROM chunk_keys WHERE id = ?", keyed)
    connection.executemany("DELETE FROM keyed_chunks WHERE id = ?", keyed)
    connection.execute(f"DELETE FROM chunks AS c WHERE {which}", values)


def delete_documents(connection: Transaction, which: str, values: Sequence[Any]) -> None:
    """Delete documents with all that is theirs; files that may have become unused are noted.

    :param which: a condition on `documents d`.
    """
    theirs = f"doc_id IN (SELECT d.doc_id FROM documents d WHERE {which})"
    delete_chunks(connection, f"c.{theirs}", values)
    delete_files(connection, "images", theirs, values)
    delete_files(connection, "originals", theirs, values)
    connection.execute(f"DELETE FROM documents AS d WHERE {which}", values)


def delete_superseded_files(connection: Transaction, doc_id: str) -> None:
    """Delete the pictures and the file of earlier versions of a document, of which another has just become visible."""
    visible = "(SELECT d.{0} FROM documents d WHERE d.doc_id = ?)"
    delete_files(connection, "images", f"doc_id = ? AND version < {visible.format('version')}", (doc_id, doc_id))
    other = f"COALESCE(sha256 <> {visible.format('sha256')}, TRUE)"
    delete_files(connection, "originals", f"doc_id = ? AND {other}", (doc_id, doc_id))


def delete_files(connection: Transaction, table: str, which: str, values: Sequence[Any]) -> None:
    """Delete rows of `images` or `originals`; their files are noted as perhaps unused.

    :param which: a condition on the table.
    """
    columns = {"images": "sha256", "originals": "sha256, suffix"}[table]
    connection.execute(
        f"INSERT INTO unused_{table} SELECT DISTINCT {columns} FROM {table} WHERE {which} ON CONFLICT DO NOTHING",
        values,
    )
    connection.execute(f"DELETE FROM {table} WHERE {which}", values)
