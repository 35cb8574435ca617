"""Tokens of the chunks' texts, so that a question need not tokenize the passages that it compares."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from components.catalog.database import Database

LOOKUP_SIZE = 500
FINGERPRINT = 8  # bytes
CODED = np.dtype("<u2")


class TokenRows:
    """The column `tokens` of the table `chunks`: rows of a static model, of the text that is embedded."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_chunks(self, chunk_ids: Sequence[str], fingerprint: str) -> dict[str, np.ndarray]:
        """Return what is kept of chunks.

        :param chunk_ids: of any versions.
        :param fingerprint: of the model.
        :returns: hash of the embedded text -> the rows of its different tokens (int32, ascending). Texts of which none
            are kept, or those of another model, are not among them.
        """
        found: dict[str, np.ndarray] = {}
        for start in range(0, len(chunk_ids), LOOKUP_SIZE):
            part = chunk_ids[start : start + LOOKUP_SIZE]
            rows = self._db.rows(
                f"SELECT text_hash, tokens FROM chunks WHERE chunk_id IN ({','.join('?' * len(part))})", part
            )
            known = bytes.fromhex(fingerprint)
            kept = {key: coded for key, coded in rows if coded and coded.startswith(known)}
            found.update(zip(kept, _unpacked(list(kept.values())), strict=True))
        return found


def packed(rows: np.ndarray, fingerprint: str) -> bytes | None:
    """Return the form in which tokens are kept: the model's fingerprint, and two bytes for the way from row to row.

    :param rows: of a model, ascending.
    :param fingerprint: of the model, 16 hexadecimal digits.
    :returns: None where two rows are further apart than two bytes can say.
    """
    steps = np.diff(rows, prepend=0)
    if (steps > np.iinfo(CODED).max).any():
        return None
    return bytes.fromhex(fingerprint) + steps.astype(CODED).tobytes()


def _unpacked(coded: Sequence[bytes]) -> list[np.ndarray]:
    """Return the rows of each; all are added up at once, which takes less time than the many calls would."""
    steps = np.frombuffer(b"".join(one[FINGERPRINT:] for one in coded), CODED)
    sums = np.cumsum(steps, dtype=np.int64)
    ends = np.cumsum([(len(one) - FINGERPRINT) // CODED.itemsize for one in coded])
    before = np.concatenate([np.zeros(1, np.int64), sums])
    edges = [0, *ends.tolist()]
    starts = before[edges[:-1]]
    rows = (sums - np.repeat(starts, np.diff(edges))).astype(np.int32)
    return [rows[start:end] for start, end in pairwise(edges)]
