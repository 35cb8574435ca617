"""Edits of a converted document's text that keep the offsets of its pages and blocks right."""

from collections.abc import Iterable, Sequence

from haystack import Document

from khub.components.converters.block_places import place_blocks
from khub.components.converters.blocks import Block
from khub.components.converters.pages import join_pages


def insert(document: Document, insertions: Iterable[tuple[int, str]]) -> Document:
    """Put text into a document.

    :param document: a converted document; `page_starts` and `blocks` of its metadata may be absent.
    :param insertions: offset in the text as it is, and what to insert there; it belongs to what ends at the offset,
        so that a page or block that begins there begins behind it.
    :returns: a new document.
    """
    text = document.content or ""
    edits = sorted(insertions, key=lambda edit: edit[0])
    parts: list[str] = []
    end = 0
    for offset, added in edits:
        parts += [text[end:offset], added]
        end = offset
    meta = dict(document.meta)

    def moved(offset: int, ends: bool) -> int:
        return offset + sum(len(added) for at, added in edits if at < offset or (at == offset and not ends))

    if "page_starts" in meta:
        meta["page_starts"] = [moved(start, False) if start else 0 for start in meta["page_starts"]]
    if "blocks" in meta:
        meta["blocks"] = [
            {**block, "start": moved(block["start"], False), "end": moved(block["end"], True)}
            for block in meta["blocks"]
        ]
    return Document(content="".join([*parts, text[end:]]), meta=meta)


def page_texts(document: Document) -> list[str]:
    """Return the text of each page, of a document that has pages."""
    text, starts = document.content or "", document.meta["page_starts"]
    return [text[start:end].strip("\n") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def replace_page(document: Document, page: int, text: str, blocks: Sequence[Block]) -> Document:
    """Give a page another text.

    :param document: a converted document with `page_starts`; `blocks` may be absent.
    :param page: its number, from 1.
    :param text: the page's Markdown.
    :param blocks: its blocks in reading order, with its page number; the text of each stands in `text`.
    :returns: a new document; the blocks of the page's old text are gone.
    """
    texts = page_texts(document)
    texts[page - 1] = text.strip("\n")
    content, starts = join_pages(texts)
    old_starts = document.meta["page_starts"]
    kept = [
        {**block, "start": block["start"] + shift, "end": block["end"] + shift}
        for block in document.meta.get("blocks", [])
        if block["page"] != page
        for shift in [starts[block["page"] - 1] - old_starts[block["page"] - 1]]
    ]
    placed = place_blocks(content, starts, blocks)
    everything = sorted([*kept, *placed], key=lambda block: block["start"])
    return Document(content=content, meta={**document.meta, "page_starts": starts, "blocks": everything})
