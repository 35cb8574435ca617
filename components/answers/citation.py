"""What an answer says of one passage."""

import math
from pathlib import Path
from typing import Any

from haystack import Document

from components.answers.figures import best_first
from components.answers.highlight import Highlighter
from components.answers.shown_text import shown_text
from components.catalog.parts import shown_name
from components.home import hub_home
from components.text.shown_address import shown_address

HIDDEN = ("pages",)
"""Fields that the Markdown needs and the answer does not show."""


def citation(rank: int, document: Document, highlighter: Highlighter) -> dict[str, Any]:
    """Return all that the answer says of a passage, and what its Markdown needs beside that (`HIDDEN`).

    :param rank: its number in the answer, from 1.
    :param document: the passage.
    :param highlighter: of the question.
    :returns: what JSON can hold. `images` are ids of the passage's pictures, the one that says most of the question
        first; a mark in the text that names no picture of this document is left out.
    """
    meta = document.meta
    source, doc_id, text = str(meta.get("source") or ""), str(meta.get("doc_id") or ""), shown_text(document)
    score = float(document.score or 0.0)
    pictures = [image_id for image_id in meta.get("image_refs") or [] if image_id.startswith(f"{doc_id}_")]
    return {
        "id": rank,
        "chunk_id": document.id,
        "doc_id": doc_id,
        "source": source,
        "url": address_of(document),
        "title": meta.get("title") or shown_name(source),
        "section": meta.get("section") or "",
        "page": meta.get("page"),
        "pages": meta.get("pages"),
        "text": text,
        "evidence": highlighter.sentence(text),
        "score": score if math.isfinite(score) else 0.0,
        "ranks": meta.get("ranks") or {"fusion": rank},
        "images": best_first(text, pictures, highlighter.weights),
        "also_in": list(meta.get("also_in") or []),
        "context": meta.get("context"),
    }


def address_of(document: Document) -> str | None:
    """Return where on the web a passage's file was fetched from; None for a file of somebody's own.

    A file's own metadata may hold any address: only that of a file which the hub has fetched is taken.
    """
    url, source = document.meta.get("url"), str(document.meta.get("source") or "")
    return shown_address(str(url)) if url and Path(source).is_relative_to(hub_home() / "downloads") else None


def shown(passage: dict[str, Any]) -> dict[str, Any]:
    """Return a citation without the fields that only the Markdown needs."""
    return {key: value for key, value in passage.items() if key not in HIDDEN}
