"""Tokens are kept with their chunk, for one model, and go with it."""

from dataclasses import replace

import numpy as np
import pytest

from khub.components.catalog.passage_tokens import PassageTokens
from khub.components.catalog.token_rows import LOOKUP_SIZE, packed

pytestmark = pytest.mark.unit

MODEL, OTHER = "00112233aabbccff", "ffeeddccbbaa9988"


def tokens_of(head=(), *sentences):
    parts = [head, *sentences]
    rows = np.array([row for part in parts for row in part], dtype=np.int32)
    return PassageTokens(rows, np.array([len(part) for part in parts]))


def parts_of(tokens):
    return [part.tolist() for part in np.split(tokens.rows, np.cumsum(tokens.lengths)[:-1])]


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
    return {c.content: parts_of(by_text[c.meta["text_hash"]]) for c in new.chunks if c.meta["text_hash"] in by_text}


def test_tokens_come_back_as_they_were(catalog, keep):
    kept = {
        "a": ([0, 1, 65536, 80218], [7], [0, 16_777_214]),
        "b": ([65535],),
        "c": ([],),
        "d": ([], [3, 5]),
        "e": ([], [1], [2], [1]),
    }
    new = keep("bird", {text: tokens_of(*parts) for text, parts in kept.items()})
    assert found(catalog, new) == {text: list(parts) for text, parts in kept.items()}
    tokens = catalog.token_rows.of_chunks([new.chunks[0].id], MODEL).popitem()[1]
    assert tokens.rows.dtype == np.int32


def test_a_token_takes_three_bytes_and_a_sentence_three_more():
    assert len(packed(tokens_of(range(100), range(7), [9]), MODEL)) == 9 + 3 * (108 + 2)


def test_tokens_without_sentences_as_they_once_were_kept_are_not_taken_for_these(catalog, keep, draft):
    new = draft("bird", ["a"])
    new = replace(new, tokens={new.chunks[0].id: bytes.fromhex(MODEL) + bytes([2, 0, 5, 0, 9, 0])})
    catalog.chunks.stage(new, "staged")
    catalog.chunks.publish(new)
    assert found(catalog, new) == {}


def test_chunks_without_tokens_and_those_of_another_model_are_left_out(catalog, keep):
    new = keep("bird", {"a": tokens_of([1]), "b": None})
    assert found(catalog, new) == {"a": [[1]]}
    assert found(catalog, new, OTHER) == {}
    assert catalog.token_rows.of_chunks(["absent"], MODEL) == {}
    assert catalog.token_rows.of_chunks([], MODEL) == {}


def test_tokens_are_replaced(catalog, keep):
    new = keep("bird", {"a": tokens_of([1]), "b": tokens_of([2]), "c": None})
    first, _, third = (chunk.id for chunk in new.chunks)
    catalog.token_rows.put({first: packed(tokens_of([7]), MODEL), third: packed(tokens_of([8], [9]), MODEL), "x": b""})
    assert found(catalog, new) == {"a": [[7]], "b": [[2]], "c": [[8], [9]]}


def test_tokens_go_with_their_chunk(catalog, keep):
    new = keep("bird", {"a": tokens_of([1]), "b": tokens_of([2])})
    catalog.chunks.withdraw("docs", [new.doc_id])
    assert found(catalog, new) == {}


def test_a_text_that_has_changed_has_tokens_of_its_own(catalog, keep, draft):
    before = keep("bird", {"a": tokens_of([1])})
    chunk = before.chunks[0]
    titled = replace(chunk, meta={**chunk.meta, "text_hash": "titled"})
    after = replace(before, chunks=[titled], tokens={chunk.id: packed(tokens_of([9], [1]), MODEL)})
    catalog.chunks.stage(after, "staged")
    kept = catalog.token_rows.of_chunks([chunk.id], MODEL)
    expected = {chunk.meta["text_hash"]: [[1]], "titled": [[9], [1]]}
    assert {key: parts_of(tokens) for key, tokens in kept.items()} == expected


def test_more_chunks_than_one_lookup_takes(catalog, keep):
    new = keep("bird", {f"t{n}": tokens_of([n], [n, n + 1]) for n in range(LOOKUP_SIZE * 2 + 1)})
    assert found(catalog, new) == {f"t{n}": [[n], [n, n + 1]] for n in range(LOOKUP_SIZE * 2 + 1)}
