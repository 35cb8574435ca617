"""Rows that say which chunks the indexes hold under the id of another, and by which keys chunks are found."""

import hashlib
from collections.abc import Mapping, Sequence

from khub.components.catalog.transaction import Transaction

INDEXED = "NOT EXISTS (SELECT 1 FROM duplicates u WHERE u.chunk_id = c.chunk_id AND u.version = c.version)"
"""That the indexes hold `chunks c` themselves."""


def key_number(key: str) -> int:
    """Return a key as it is stored: a signed number of 32 bits, of which there are twenty for each chunk.

    Two keys that share a number cost a comparison of two texts, and change nothing.
    """
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), signed=True)


def stage_duplicates(
    connection: Transaction, version: int, duplicates: Mapping[str, str], keys: Mapping[str, Sequence[str]]
) -> None:
    """Write which staged chunks are duplicates, and the keys of the others, within a transaction.

    :param version: of the document, about to be published.
    :param duplicates: chunk id -> id of the chunk that the indexes hold in its place.
    :param keys: chunk id -> keys of a chunk that they hold itself.
    """
    connection.executemany(
        "INSERT INTO duplicates VALUES (?, ?, ?)",
        [(chunk_id, version, stored) for chunk_id, stored in duplicates.items()],
    )
    earlier = [(one,) for one in (*duplicates, *keys)]
    connection.executemany(
        "DELETE FROM chunk_keys WHERE id IN (SELECT id FROM keyed_chunks WHERE chunk_id = ?)", earlier
    )
    connection.executemany("DELETE FROM keyed_chunks WHERE chunk_id = ?", earlier)
    for chunk_id, texts in keys.items():
        row = connection.execute("INSERT INTO keyed_chunks (chunk_id) VALUES (?) RETURNING id", (chunk_id,)).fetchone()
        connection.executemany(
            "INSERT INTO chunk_keys VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(key_number(text), row[0]) for text in texts],
        )
