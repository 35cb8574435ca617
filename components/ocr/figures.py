"""What was read in figures stands behind their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from haystack import Document

from components.converters.picture import DocumentPicture
from components.converters.text_edits import insert, page_texts
from components.ocr.figure_text import figure_paragraph, figure_text
from components.ocr.text_line import ReadPicture


def with_figure_texts(
    document: Document, pictures: Sequence[DocumentPicture], read: Mapping[str, ReadPicture], min_confidence: float
) -> tuple[Document, list[DocumentPicture]]:
    """Put the words of figures behind their marks, where the page does not say them already.

    :param document: a converted document.
    :param pictures: all pictures of the document.
    :param read: image id -> what was read in it; not of scanned pages.
    :param min_confidence: lines with a lower score are left out.
    :returns: the document, and the pictures with all their words in `text`.
    """
    content = document.content or ""
    pages = page_texts(document) if "page_starts" in document.meta else []
    insertions: list[tuple[int, str]] = []
    named: list[DocumentPicture] = []
    for picture in pictures:
        lines = read[picture.image_id].confident(min_confidence) if picture.image_id in read else []
        named.append(replace(picture, text=figure_text(lines)) if lines else picture)
        page = picture.picture.page
        paragraph = figure_paragraph(lines, pages[page - 1] if page and pages else content)
        mark = f"[IMAGE: {picture.image_id}]"
        start = content.find(mark)
        if paragraph and start >= 0:
            insertions.append(_behind(content, start, start + len(mark), paragraph))
    return (insert(document, insertions) if insertions else document), named


def _behind(content: str, start: int, end: int, paragraph: str) -> tuple[int, str]:
    """Return where a paragraph goes: below its mark, or beside it where the mark stands in a table or a sentence."""
    before, after = content[:start].rpartition("\n")[2], content[end:].partition("\n")[0]
    if before.strip() or after.strip():
        inside = paragraph.removeprefix("> ").replace("|", "\\|")
        return end, f" ({inside})"
    return end, f"\n\n{paragraph}"
