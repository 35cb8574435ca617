"""Whether a block looks and reads as a heading does, whatever stands around it."""

import re

from khub.components.converters.pdf.captions import is_caption
from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.leaders import has_leaders
from khub.components.converters.pdf.list_items import split_marker
from khub.components.converters.pdf.paragraphs import TextHabits
from khub.components.converters.pdf.scripts import cjk_share
from khub.components.text.heading_numbers import number_of, without_number

_SMALLEST = 0.6
_LARGE = 1.3
_LONGEST = 160
_MOST_LINES = 4
_SENTENCE_END = re.compile(r"[.,;，。；、！!]$")
_ABBREVIATION = re.compile(r"(?:Inc|Corp|Co|Ltd|etc|Jr|U\.S|[A-Z])\.$")
_LETTER = re.compile(r"[^\W\d_]")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_TWO_SENTENCES = re.compile(r"\A[^。！？]*+[。！？].*\w")
_FORMULA = re.compile(r"[=≤≥≠≈∑∏∫√∞∈∂\ue000-\uf8ff]")
_NOTE = re.compile(r"[*†‡¹²³]")
_MARK = re.compile(r"[(（]?\w{1,4}[.)）]\s*")
_PLAIN = 80
_FEWEST_LETTERS = 0.3


def is_styled(draft: Draft, habits: TextHabits) -> bool:
    """Whether a block is set off from the running text by its size, weight or slant, and reads as a heading."""
    bold = draft.bold and not habits.bold and draft.size >= _SMALLEST * habits.size and draft.kind != "code"
    if not (draft.size >= habits.larger or bold) or not _reads_as_heading(draft, habits):
        return False
    if draft.kind == "list":
        marker = split_marker(draft.text)
        return marker is not None and marker[0] != "-" and (bold or number_of(draft.text) is not None)
    return True


def is_plain_title(draft: Draft, habits: TextHabits) -> bool:
    """Whether a line in the running text's own size is short and reads as a heading."""
    text = draft.text
    short = len(draft.lines) == 1 and len(text) * (1 + cjk_share(text)) <= _PLAIN
    return short and draft.size >= 0.97 * habits.size and _reads_as_heading(draft, habits)


def is_bold_sentence(draft: Draft, habits: TextHabits) -> bool:
    """Whether a block is one bold sentence in the running text's own size."""
    text = draft.text
    bold = draft.bold and not habits.bold and draft.size >= 0.97 * habits.size and len(draft.lines) <= _MOST_LINES
    return bold and text[0].isupper() and text.endswith(".") and len(text) <= 2 * _LONGEST and " " in text


def is_turned(draft: Draft) -> bool:
    """Whether a block stands across the page, as a mark in the margin does."""
    return any(not segment.upright for line in draft.lines for segment in line.segments)


def _reads_as_heading(draft: Draft, habits: TextHabits) -> bool:
    """Whether the words of a block may be a heading; what is set much larger may say more."""
    text = draft.text
    large = draft.size >= max(_LARGE * habits.size, habits.larger)
    weight = len(text) * (1 + cjk_share(text))
    if len(draft.lines) > _MOST_LINES or weight > _LONGEST or has_leaders(text) or is_caption(text) or is_turned(draft):
        return False
    # "(in millions, except per share data)", "（单位：元）": a remark on the heading above it or on what follows
    if _ASIDE.fullmatch(text) or _FORMULA.search(text) or _TWO_SENTENCES.search(text) or not _has_letters(text):
        return False
    if _NOTE.match(text) or draft.lines[0].words[0].raised:  # a note under a table
        return False
    if any(draft.hard) and draft.size < habits.larger and not (draft.bold and len(draft.lines) <= 3):
        return False
    ends = _SENTENCE_END.search(text) and not _ABBREVIATION.search(text)
    if ends and (not large or text[-1] in ",;，；、") and not (text[-1] == "." and weight < 40):
        return False
    return not (_MARK.sub("", text)[:1].islower() and not large)


def _has_letters(text: str) -> bool:
    words = without_number(text)
    letters = len(_LETTER.findall(words))
    return letters >= 2 - (cjk_share(words) > 0) and letters >= _FEWEST_LETTERS * len(words.replace(" ", ""))
