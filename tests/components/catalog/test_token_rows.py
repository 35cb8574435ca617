"""Tokens are kept with their chunk, for one model, and go with it."""

from dataclasses import replace

import numpy as np
import pytest

from components.catalog.token_rows import LOOKUP_SIZE, packed

pytestmark = pytest.mark.unit

MODEL, OTHER = "00112233aabbccff", "ffeeddccbbaa9988"


def rows_of(*rows):
    return np.array(rows, dtype=np.int32)


@pytest.fixture
def keep(catalog, draft):
    """Publish a document whose texts have the given tokens."""

    def keep(name, tokens, fingerprint=MODEL):
        new = draft(name, list(tokens))
        coded = {c.id: packed(tokens[c.content], fingerprint) for c in new.chunks if tokens[c.content] is not None}
        new = replace(new, tokens=coded)
        catalog.chunks.stage(new, "staged")
        catalog.chunks.publish(new)
        return new

    return keep


def found(catalog, new, fingerprint=MODEL):
    by_text = catalog.token_rows.of_chunks([chunk.id for chunk in new.chunks], fingerprint)
    return {c.content: by_text[c.meta["text_hash"]].tolist() for c in new.chunks if c.meta["text_hash"] in by_text}


def test_tokens_come_back_as_they_were(catalog, keep):
    new = keep("bird", {"a": rows_of(0, 1, 65536, 80218), "b": rows_of(65535), "c": rows_of()})
    assert found(catalog, new) == {"a": [0, 1, 65536, 80218], "b": [65535], "c": []}
    (rows,) = catalog.token_rows.of_chunks([new.chunks[0].id], MODEL).values()
    assert rows.dtype == np.int32


def test_a_token_takes_two_bytes():
    assert len(packed(np.arange(100, dtype=np.int32) * 700, MODEL)) == 8 + 200


def test_what_two_bytes_cannot_say_is_not_kept():
    assert packed(rows_of(65536), MODEL) is None
    assert packed(rows_of(3, 65539), MODEL) is None
    assert packed(rows_of(3, 65538), MODEL) is not None


def test_chunks_without_tokens_and_those_of_another_model_are_left_out(catalog, keep):
    new = keep("bird", {"a": rows_of(1), "b": None})
    assert found(catalog, new) == {"a": [1]}
    assert found(catalog, new, OTHER) == {}
    assert catalog.token_rows.of_chunks(["absent"], MODEL) == {}
    assert catalog.token_rows.of_chunks([], MODEL) == {}


def test_tokens_go_with_their_chunk(catalog, keep):
    new = keep("bird", {"a": rows_of(1), "b": rows_of(2)})
    catalog.chunks.withdraw("docs", [new.doc_id])
    assert found(catalog, new) == {}


def test_a_text_that_has_changed_has_tokens_of_its_own(catalog, keep, draft):
    before = keep("bird", {"a": rows_of(1)})
    chunk = before.chunks[0]
    titled = replace(chunk, meta={**chunk.meta, "text_hash": "titled"})
    after = replace(before, chunks=[titled], tokens={chunk.id: packed(rows_of(1, 9), MODEL)})
    catalog.chunks.stage(after, "staged")
    kept = catalog.token_rows.of_chunks([chunk.id], MODEL)
    assert {key: rows.tolist() for key, rows in kept.items()} == {chunk.meta["text_hash"]: [1], "titled": [1, 9]}


def test_more_chunks_than_one_lookup_takes(catalog, keep):
    new = keep("bird", {f"t{n}": rows_of(n) for n in range(LOOKUP_SIZE * 2 + 1)})
    assert found(catalog, new) == {f"t{n}": [n] for n in range(LOOKUP_SIZE * 2 + 1)}
