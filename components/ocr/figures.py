"""What was read in figures stands behind their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from haystack import Document

from khub.components.catalog.picture import DocumentPicture
from khub.components.converters.text_edits import insert, page_texts
from khub.components.ocr.figure_text import figure_paragraph, figure_text
from khub.components.ocr.text_line import ReadPicture
from khub.components.splitters.markdown_blocks import parse_blocks


def with_figure_texts(
    document: Document, pictures: Sequence[DocumentPicture], read: Mapping[str, ReadPicture], min_confidence: float
) -> tuple[Document, list[DocumentPicture]]:
    """Put the words of figures behind their marks, where the page does not say them already.

    In a document without pages they go to the end of their section, with the mark once more: the screenshots of a
    manual stand between its sentences, which belong together.

    :param document: a converted document.
    :param pictures: all pictures of the document.
    :param read: image id -> what was read in it; not of scanned pages.
    :param min_confidence: lines with a lower score are left out.
    :returns: the document, and the pictures with all their words in `text`.
    """
    content = document.content or ""
    pages = page_texts(document) if "page_starts" in document.meta else []
    ends = [] if "page_starts" in document.meta else _section_ends(content)
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
            end = next((end for end in ends if end > start), 0)
            if end and content[start + len(mark) : end].strip():
                insertions.append((end, f"\n\n{mark}\n\n{paragraph}"))
            else:
                insertions.append(_behind(content, start, start + len(mark), paragraph))
    return (insert(document, insertions) if insertions else document), named


def _section_ends(content: str) -> list[int]:
    """Return where the text of each section ends."""
    starts = [block.start for block in parse_blocks(content) if block.kind == "heading"]
    return [len(content[:start].rstrip()) for start in (*starts, len(content))]


def _behind(content: str, start: int, end: int, paragraph: str) -> tuple[int, str]:
    """Return where a paragraph goes: below its mark, or beside it where the mark stands in a table or a sentence."""
    before, after = content[:start].rpartition("\n")[2], content[end:].partition("\n")[0]
    if before.strip() or after.strip():
        inside = paragraph.removeprefix("> ").replace("\n\n> ", " ").replace("|", "\\|")
        return end, f" ({inside})"
    return end, f"\n\n{paragraph}"
