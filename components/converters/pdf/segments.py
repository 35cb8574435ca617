"""Words that stand side by side become segments; links and superscripts are marked on the words."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from khub.components.converters.blocks import Box
from khub.components.converters.pages import clean_text
from khub.components.converters.pdf.layout import Segment, Word
from khub.components.converters.pdf.leaders import is_leader_run
from khub.components.converters.pdf.link_reader import Link
from khub.components.converters.pdf.page_space import PageSpace
from khub.components.converters.pdf.scripts import is_rtl
from khub.components.converters.pdf.text_reader import RawWord, TextReader, is_mono

_WIDE_GAP = 1.2
_SAME_BASELINE = 0.4
_SMALL = 0.86
_RAISED = 0.15
_MOSTLY = 0.8
_ARABIC_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefe]")


class _Placed(NamedTuple):
    raw: RawWord
    text: str
    box: Box
    baseline: float


def build_segments(words: Iterable[RawWord], space: PageSpace) -> list[Segment]:
    """Set words together to segments.

    :param words: in PDFium's order.
    :param space: where the page's coordinates lead.
    :returns: segments in PDFium's order, in the coordinates of the page as shown.
    """
    segments: list[Segment] = []
    run: list[_Placed] = []
    straight = space.rotation == 0
    left, _, _, top = space.visible
    for raw in words:
        text = clean_word(raw.text)
        if not text:
            continue
        if straight:
            box = (raw.left - left, top - raw.top, raw.right - left, top - raw.bottom)
        else:
            box = space.box(raw.left, raw.bottom, raw.right, raw.top)
        item = _Placed(raw, text, box, box[3] - raw.style.drop)
        if run and not _continues(run[-1], item):
            segments.append(_segment(run, space))
            run = []
        run.append(item)
    if run:
        segments.append(_segment(run, space))
    return segments


def with_links(words: Sequence[RawWord], links: Sequence[Link], reader: TextReader) -> list[RawWord]:
    """Give each word the address of the link on it; a word that a link covers in part is cut."""
    marked: list[RawWord] = []
    for word in words:
        middle = (word.bottom + word.top) / 2
        link = next(
            (a for a in links if a.bottom <= middle <= a.top and min(a.right, word.right) - max(a.left, word.left) > 1),
            None,
        )
        if link is None:
            marked.append(word)
        elif min(link.right, word.right) - max(link.left, word.left) > 0.8 * (word.right - word.left):
            marked.append(word._replace(uri=link.uri))
        else:
            marked.extend(_cut(word, link, reader))
    return marked


def clean_word(text: str) -> str:
    """Spell out ligatures and presentation forms, drop what cannot be printed."""
    if text.isascii():
        return text
    text = _ARABIC_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)
    if text.endswith("\u00ad"):
        text = text[:-1] + "-"
    return clean_text(text)


def _cut(word: RawWord, link: Link, reader: TextReader) -> list[RawWord]:
    if len(word.text) != word.end - word.start:
        return [word]
    pieces: list[RawWord] = []
    for offset, character in enumerate(word.text):
        left, _, right, _ = reader.char_box(word.start + offset)
        uri = link.uri if link.left <= (left + right) / 2 <= link.right else ""
        if pieces and pieces[-1].uri == uri:
            before = pieces[-1]
            pieces[-1] = before._replace(
                text=before.text + character, left=min(before.left, left), right=max(before.right, right)
            )
        else:
            spaced = word.spaced and offset == 0
            pieces.append(word._replace(text=character, left=left, right=right, spaced=spaced, uri=uri))
    return pieces


def _continues(before: _Placed, after: _Placed) -> bool:
    one, other = before.raw, after.raw
    if one.line != other.line or one.style.angle != other.style.angle:
        return False
    if is_leader_run(before.text) or is_leader_run(after.text):
        return False
    size = one.style.size if one.style is other.style else max(one.style.size, other.style.size)
    if not -_SAME_BASELINE * size <= before.baseline - after.baseline <= _SAME_BASELINE * size:
        return False
    gap = after.box[0] - before.box[2]
    if gap < -0.5 * size and (is_rtl(before.text) or is_rtl(after.text)):
        gap = before.box[0] - after.box[2]
    return -0.5 * size <= gap <= _WIDE_GAP * size


def _segment(run: list[_Placed], space: PageSpace) -> Segment:
    first = run[0].raw.style
    size, baseline = first.size, run[0].baseline
    if all(item.raw.style is first for item in run):
        bold, mono = first.bold, first.mono or (first.fixed and all(is_mono(item.raw) for item in run))
        italic = first.italic
    else:
        size, baseline, bold, mono, italic = _mixed(run)
    limit = baseline - _RAISED * size
    words = [
        Word(text, box[0], box[2], raw.spaced, raw.uri, base < limit and raw.style.size < _SMALL * size)
        for raw, text, box, base in run
    ]
    boxes = [item.box for item in run]
    return Segment(
        words,
        min([box[0] for box in boxes]),
        min([box[1] for box in boxes]),
        max([box[2] for box in boxes]),
        max([box[3] for box in boxes]),
        baseline,
        round(size, 1),
        bold,
        mono,
        (first.angle - space.rotation) % 360,
        italic,
    )


def _mixed(run: list[_Placed]) -> tuple[float, float, bool, bool, bool]:
    """Return size, baseline, weight, pitch and slant of most characters of a run."""
    weights: dict[float, int] = {}
    bold = mono = italic = total = 0
    for raw, text, _, _ in run:
        count = len(text)
        rounded = round(raw.style.size, 1)
        weights[rounded] = weights.get(rounded, 0) + count
        total += count
        bold += count if raw.style.bold else 0
        mono += count if is_mono(raw) else 0
        italic += count if raw.style.italic else 0
    size = max(weights, key=lambda value: weights[value])
    baseline = next(item.baseline for item in run if round(item.raw.style.size, 1) == size)
    return size, baseline, bold > _MOSTLY * total, mono > _MOSTLY * total, italic > _MOSTLY * total
