"""A document or a chunk after cleaning: text, page offsets and blocks stay in step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document

from components.enrichers.edits import Edit, Moved, apply_edits

Rule = Callable[[str, list[int]], list[Edit]]
"""Finds what to change: (text, offsets at which its pages begin) -> edits."""


def cleaned(document: Document, rules: Sequence[Rule]) -> Document:
    """Apply rules one after the other.

    :param document: a converted document, or a chunk (it has `start` in its metadata).
    :param rules: each sees what the one before it has left.
    :returns: the document itself if nothing changes, or it is source code (`doc_type` "code"); else a new one. Of a
        converted document `page_starts` and `blocks` are moved with the text, and blocks of which nothing is left go.
        A chunk keeps its offsets, which count in the converted text, and its text before the first change in
        `original`.
    """
    if document.meta.get("doc_type") == "code":
        return document
    text = document.content or ""
    meta = dict(document.meta)
    for rule in rules:
        edits = rule(text, list(meta.get("page_starts") or []))
        text, moved = apply_edits(text, edits)
        if edits and "start" not in document.meta:
            _move(meta, text, moved)
    if text == (document.content or ""):
        return document
    if "start" in document.meta:
        meta.setdefault("original", document.content)
    return replace(document, content=text, meta=meta)


def _move(meta: dict[str, Any], text: str, moved: Moved) -> None:
    if meta.get("page_starts"):
        meta["page_starts"] = [moved(start) for start in meta["page_starts"]]
    if meta.get("blocks"):
        blocks = [_moved_block(block, text, moved) for block in meta["blocks"]]
        meta["blocks"] = [block for block in blocks if block["text"].strip()]


def _moved_block(block: dict[str, Any], text: str, moved: Moved) -> dict[str, Any]:
    start, end = moved(block["start"]), moved(block["end"])
    return {**block, "start": start, "end": max(start, end), "text": text[start:end]}
