"""Phase two: the pages of a document, read one by one, become blocks, and these its text."""

import base64
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from khub.components.catalog.picture import PICTURE_MARK, Picture
from khub.components.converters.blocks import Block, Box
from khub.components.converters.pages import clean_text
from khub.components.converters.pdf.captions import caption_of, mark_captions
from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.footnotes import mark_footnotes
from khub.components.converters.pdf.headings import set_headings
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import PageLayout
from khub.components.converters.pdf.outline import OutlineEntry
from khub.components.converters.pdf.page_parts import page_drafts
from khub.components.converters.pdf.paragraphs import TextHabits
from khub.components.converters.pdf.render import render
from khub.components.converters.pdf.table_breaks import repeat_headers
from khub.components.converters.pdf.title import pdf_title

DraftedPage = tuple[PageLayout, list[Draft]]


@dataclass(slots=True)
class PdfText:
    """A whole PDF as text.

    :param pages: Markdown of each page; "" where there is none.
    :param needs_ocr: numbers (from 1) of pages without a readable text layer.
    :param garbled: those among them whose text layer says nothing: its fonts do not tell what they mean.
    :param damaged: numbers of pages that could not be read.
    :param removed: how many words were left out, by reason.
    :param sizes: width and height of each page in points.
    """

    pages: list[str]
    blocks: list[Block] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    needs_ocr: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)
    sizes: list[tuple[float, float]] = field(default_factory=list)
    title: str | None = None


def draft_page(page: PageLayout, habits: TextHabits, hyphens: Hyphens) -> DraftedPage:
    """Find the blocks of one page, its footnotes at the end."""
    drafts = page_drafts(page, habits, hyphens)
    mark_footnotes(drafts, page.rulings, habits.size, (page.width, page.height))
    notes = [draft for draft in drafts if draft.kind == "footnote"]
    return page, [draft for draft in drafts if draft.kind != "footnote"] + notes


def set_text(
    drafted: Sequence[DraftedPage],
    habits: TextHabits,
    hyphens: Hyphens,
    removed: dict[str, int],
    outline: Sequence[OutlineEntry],
    title: str | None = None,
) -> PdfText:
    """Make the text of a document from the blocks of its pages.

    :param drafted: all pages, in order.
    :param removed: how many words were left out, by reason.
    :param outline: the document's bookmarks.
    :param title: from the document's metadata.
    """
    pages = [page for page, _ in drafted]
    drafts = [[draft for draft in parts if draft.kind != "aside"] for _, parts in drafted]
    repeat_headers(drafts, [page.height for page in pages])
    set_headings([draft for parts in drafts for draft in parts], habits, outline)
    for parts in drafts:
        mark_captions(parts)
    text = PdfText([], removed=removed, sizes=[page.shown_size for page in pages])
    for page, parts in drafted:
        _write(text, page, parts, hyphens)
    if hyphens.joined:
        removed["joined hyphens"] = hyphens.joined
    text.needs_ocr = [page.index + 1 for page in pages if page.needs_ocr]
    text.garbled = [page.index + 1 for page in pages if page.garbled]
    text.damaged = [page.index + 1 for page in pages if page.damaged]
    text.title = pdf_title([draft for parts in drafts for draft in parts], title)
    return text


def _write(text: PdfText, page: PageLayout, drafts: list[Draft], hyphens: Hyphens) -> None:
    notes: AbstractSet[str] = {draft.number for draft in drafts if draft.number}
    parts: list[str] = []
    previous = ""
    number = page.index + 1
    for draft in drafts:
        if draft.figure is not None:
            block = _picture(text, page, draft, drafts, hyphens)
        else:
            block = clean_text(render(draft, hyphens, notes)) if draft.kind != "list" else render(draft, hyphens, notes)
        if not block.strip():
            continue
        tight = draft.kind == "list" == previous
        if tight:
            last = text.blocks[-1]
            text.blocks[-1] = Block("list", f"{last.text}\n{block}", number, _union(last.bbox, page.shown(draft.box)))
            parts[-1] = text.blocks[-1].text
        else:
            text.blocks.append(Block(draft.block_kind, block, number, page.shown(draft.box), draft.level))
            parts.append(block)
        previous = draft.kind
    text.pages.append("\n\n".join(parts))


def _picture(text: PdfText, page: PageLayout, draft: Draft, drafts: list[Draft], hyphens: Hyphens) -> str:
    figure = draft.figure
    if figure is None or not figure.data:
        return ""
    number = draft.page
    seq = 1 + sum(picture.page == number for picture in text.pictures)
    caption = caption_of(draft, drafts)
    text.pictures.append(
        Picture(
            number,
            seq,
            page.shown(figure.box),
            figure.width,
            figure.height,
            figure.mime,
            base64.b64decode(figure.data),
            figure.kind,
            render(caption, hyphens) if caption else "",
        )
    )
    # A scanned page is no part of its own text: that is still to be read.
    return "" if figure.kind == "page" else PICTURE_MARK.format(page=number, seq=seq)


def _union(one: Box | None, other: Box) -> Box:
    if one is None:
        return other
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
