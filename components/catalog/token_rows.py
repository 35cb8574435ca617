"""Tokens of the chunks' texts, so that a question need not tokenize the passages that it compares."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from khub.components.catalog.database import Database
from khub.components.catalog.passage_tokens import PassageTokens

LOOKUP_SIZE = 500
FORM = b"s"  # what was kept in another form is not taken for this one
MARK = len(FORM) + 8  # bytes
CODED = 3  # bytes
BEFORE_SENTENCE = 0xFFFFFF


class TokenRows:
    """The column `tokens` of the table `chunks`: rows of a static model, of the text that is embedded, by sentence."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_chunks(self, chunk_ids: Sequence[str], fingerprint: str) -> dict[str, PassageTokens]:
        """Return what is kept of chunks.

        :param chunk_ids: of any versions.
        :param fingerprint: of the model.
        :returns: hash of the embedded text -> its tokens. Texts of which none are kept, or those of another model, are
            not among them.
        """
        found: dict[str, PassageTokens] = {}
        known = _mark(fingerprint)
        for start in range(0, len(chunk_ids), LOOKUP_SIZE):
            part = chunk_ids[start : start + LOOKUP_SIZE]
            rows = self._db.rows(
                f"SELECT text_hash, tokens FROM chunks WHERE chunk_id IN ({','.join('?' * len(part))})", part
            )
            kept = {key: coded for key, coded in rows if coded and coded.startswith(known)}
            found.update(zip(kept, _unpacked(list(kept.values())), strict=True))
        return found

    def put(self, tokens: Mapping[str, bytes]) -> None:
        """Keep tokens of stored chunks, in place of those that were kept.

        :param tokens: id of a chunk -> its tokens (see `packed`); chunks that are not stored are passed over.
        """
        with self._db.transaction() as connection:
            rows = ((coded, chunk_id) for chunk_id, coded in tokens.items())
            connection.executemany("UPDATE chunks SET tokens = ? WHERE chunk_id = ?", rows)


def packed(tokens: PassageTokens, fingerprint: str) -> bytes:
    """Return the form in which tokens are kept: a mark of form and model, and three bytes a row and a sentence.

    :param tokens: of a passage.
    :param fingerprint: of the model, 16 hexadecimal digits; it has less than 16,777,215 rows.
    """
    values = np.insert(tokens.rows, np.cumsum(tokens.lengths)[:-1], BEFORE_SENTENCE).astype("<u4")
    return _mark(fingerprint) + values.view(np.uint8).reshape(-1, 4)[:, :CODED].tobytes()


def _mark(fingerprint: str) -> bytes:
    return FORM + bytes.fromhex(fingerprint)


def _unpacked(coded: Sequence[bytes]) -> list[PassageTokens]:
    """Return the tokens of each; all are read at once, which takes less time than the many calls would."""
    values = np.zeros((sum((len(one) - MARK) // CODED for one in coded), 4), dtype=np.uint8)
    values[:, :CODED] = np.frombuffer(b"".join(one[MARK:] for one in coded), np.uint8).reshape(-1, CODED)
    rows = values.view("<i4").ravel()
    is_row = rows != BEFORE_SENTENCE
    first = np.cumsum([0, *[(len(one) - MARK) // CODED for one in coded]])
    # rows before each place, and the parts that begin there: a passage's first, and a sentence behind each mark
    before = np.concatenate([np.zeros(1, np.intp), np.cumsum(is_row)])
    marks = np.flatnonzero(~is_row)
    begins = np.sort(np.concatenate([first[:-1], marks]), kind="stable")
    lengths = np.diff(before[begins], append=before[-1])
    part = np.searchsorted(marks, first) + np.arange(len(first))
    edges = zip(pairwise(before[first].tolist()), pairwise(part.tolist()), strict=True)
    known = rows[is_row].astype(np.int32)
    return [PassageTokens(known[slice(*of_rows)], lengths[slice(*of_parts)]) for of_rows, of_parts in edges]
