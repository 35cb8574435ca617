"""What is known of a whole document, on each of its chunks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document

from khub.components.catalog.document_meta import FoundFields
from khub.components.catalog.found_metadata import FOUND

KEYS = ("title", *FoundFields.__annotations__)
"""What is found out about a document: strings, and lists of strings for `tags` and `dates`."""


def by_document(chunks: Iterable[Document]) -> dict[str, list[Document]]:
    """Return the chunks of each document, by its `doc_id`, in the order in which they came."""
    groups: dict[str, list[Document]] = {}
    for chunk in chunks:
        groups.setdefault(str(chunk.meta.get("doc_id") or chunk.id), []).append(chunk)
    return groups


def original_text(chunk: Document) -> str:
    """Return a chunk's text as it was split: what one stage asks then does not change with another's reply."""
    return chunk.meta.get("original", chunk.content) or ""


def without_found(chunks: Sequence[Document]) -> list[Document]:
    """Return chunks without what an earlier run found out; what the file or its user says stays."""
    return [replace(c, meta=_kept(c.meta)) if c.meta.get(FOUND) else c for c in chunks]


def with_metadata(chunks: Sequence[Document], found: dict[str, Any]) -> list[Document]:
    """Put what was found out on each chunk of a document, under keys that are still free.

    :param chunks: of one document, as `without_found` gives them.
    :param found: any of `KEYS`; empty values are left out.
    """
    first = chunks[0].meta
    new = {key: found[key] for key in KEYS if found.get(key) and not first.get(key)}
    return [replace(c, meta={**c.meta, **new, FOUND: list(new)}) for c in chunks] if new else list(chunks)


def enrich_each(chunks: Iterable[Document], enrich: Callable[[list[Document]], list[Document]]) -> list[Document]:
    """Apply a function to the chunks of each document; the order of the chunks stays."""
    chunks = list(chunks)
    done = {d.id: d for group in by_document(chunks).values() for d in enrich(group)}
    return [done[chunk.id] for chunk in chunks]


def _kept(meta: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in meta.items() if key not in (*meta[FOUND], FOUND)}
    return {**kept, "title": None} if "title" in meta[FOUND] else kept
