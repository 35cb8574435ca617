"""What was read in scanned pages becomes their text."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from haystack import Document

from khub.components.catalog.picture import Picture
from khub.components.converters.blocks import Block
from khub.components.converters.text_edits import page_texts, replace_page
from khub.components.ocr.text_line import ReadPicture

_FIRST_LEVEL = re.compile(r"^# ", re.MULTILINE)
_MARK = re.compile(r"\[IMAGE: [^\[\]\n]++\]")
_DEEPEST = 6


def with_scanned_pages(
    document: Document, pages: Mapping[int, tuple[Picture, ReadPicture]], min_confidence: float
) -> Document:
    """Put the text of scanned pages in their place.

    They are set together by the PDF reader's own rules for reading order, paragraphs, tables and headings; these
    stand below the headings of the first level that the document has elsewhere. The marks of pictures stay above them.

    :param document: a converted document with pages.
    :param pages: page number -> its picture (of kind "page" or "file") and what was read in it.
    :param min_confidence: lines with a lower score are left out.
    """
    if not pages:
        return document
    # Not at the top: it loads PDFium, which an ingest without scans does without in this process.
    from khub.components.converters.pdf import PdfShare
    from khub.components.ocr.scanned_layout import scanned_layout

    sizes = {page: _size(picture) for page, (picture, _) in pages.items()}
    layouts = [scanned_layout(page, sizes[page], read, min_confidence) for page, (_, read) in sorted(pages.items())]
    read_text = PdfShare(layouts).whole()
    below = bool(_FIRST_LEVEL.search(document.content or ""))
    for page in sorted(pages):
        blocks = [_deeper(block) if below else block for block in read_text.blocks if block.page == page]
        texts = [*_MARK.findall(page_texts(document)[page - 1]), *(block.text for block in blocks)]
        document = replace_page(document, page, "\n\n".join(texts), blocks)
    removed = Counter(document.meta.get("removed", {})) + Counter(read_text.removed)
    title = document.meta.get("title") or read_text.title
    found = {block.page for block in read_text.blocks}
    empty = sorted((set(document.meta.get("empty_pages", [])) - found) | (set(pages) - found))
    meta = {**document.meta, "title": title, "removed": dict(removed), "empty_pages": empty}
    for key in ("removed", "empty_pages"):
        if not meta[key]:
            del meta[key]
    return Document(content=document.content, meta=meta)


def _size(picture: Picture) -> tuple[float, float]:
    if picture.bbox is None:
        return (float(picture.width), float(picture.height))
    left, top, right, bottom = picture.bbox
    return (right - left, bottom - top)


def _deeper(block: Block) -> Block:
    if block.kind != "heading" or block.level >= _DEEPEST:
        return block
    return replace(block, level=block.level + 1, text=f"#{block.text}")
