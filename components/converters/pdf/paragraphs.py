"""Lines of one region grouped to paragraphs, list items and code."""

from collections.abc import Sequence
from dataclasses import dataclass

from khub.components.converters.blocks import BlockKind
from khub.components.converters.pdf.drafts import Draft, draft_of
from khub.components.converters.pdf.leaders import ends_in_leaders
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.list_items import split_marker
from khub.components.converters.pdf.scripts import cjk_share, is_cjk
from khub.components.text.heading_numbers import number_of

_WIDER = 1.22
_SAME_SIZE = 0.08
_INDENT = 0.9
_ENDS = ".!?:;。！？：；…”」』）)"
_CODE_GAP = 3.2


@dataclass(frozen=True, slots=True)
class TextHabits:
    """What is usual in a document.

    :param size: font size of its running text.
    :param larger: font size from which on text is set larger than that.
    :param pitch: from one baseline to the next inside a paragraph, in font sizes.
    :param bold: whether the running text is bold.
    :param mono: whether the running text is monospaced.
    """

    size: float
    larger: float
    pitch: float
    bold: bool
    mono: bool


def to_drafts(page: int, lines: Sequence[Line], right: float, habits: TextHabits) -> list[Draft]:
    """Group lines.

    :param page: page number, from 1.
    :param lines: of one region, from top to bottom.
    :param right: right edge of the region.
    :returns: drafts of kind "paragraph", "list" or "code", in order.
    """
    groups: list[Draft] = []
    for index, line in enumerate(lines):
        above = lines[index - 1] if index else None
        current = groups[-1] if groups else None
        kind = _kind(line, habits)
        if current and above and _continues(current, above, line, kind, right, habits):
            current.lines.append(line)
            current.hard.append(current.kind == "code" or _is_hard(above, line, right))
            box = current.box
            current.box = (min(box[0], line.x0), min(box[1], line.top), max(box[2], line.x1), max(box[3], line.bottom))
        else:
            groups.append(draft_of(kind, page, [line]))
    _set_indents(groups)
    return groups


def _kind(line: Line, habits: TextHabits) -> BlockKind:
    if line.mono and not habits.mono:
        return "code"
    return "list" if split_marker(line.text) else "paragraph"


def _continues(draft: Draft, above: Line, line: Line, kind: BlockKind, right: float, habits: TextHabits) -> bool:
    step = line.baseline - above.baseline
    if "code" in (kind, draft.kind):
        return kind == draft.kind and step < _CODE_GAP * line.size
    if kind == "list":
        return False
    if abs(line.size - above.size) > _SAME_SIZE * above.size or line.bold != above.bold:
        return _same_flow(draft, above, line, right, habits)
    if not 0 < step <= _WIDER * habits.pitch * line.size + 0.5:
        return False
    if draft.kind == "list":
        first = draft.lines[0].x0
        return line.x0 > first - 1 and (line.x0 > first + 0.5 * line.size or _is_full(above, line, right))
    return line.rtl or above.rtl or _is_same_paragraph(draft, above, line, right)


def _is_same_paragraph(draft: Draft, above: Line, line: Line, right: float) -> bool:
    full, ended = _is_full(above, line, right), above.text.endswith(tuple(_ENDS))
    if len(draft.lines) == 1 and not full and not ended and _is_numbered_title(above):
        return False
    if ended and _is_numbered_title(line):
        return False
    if line.x0 - above.x0 > _INDENT * line.size and not _is_centred(above, line):
        return len(draft.lines) == 1 and full and not ended
    if len(draft.lines) == 1 and above.x0 - line.x0 > _INDENT * line.size:
        return full
    return full or not ended or line.text[:1].islower()


def _is_numbered_title(line: Line) -> bool:
    number = number_of(line.text)
    return number is not None and (number.kind != "decimal" or number.depth > 1) and not ends_in_leaders(line.text)


def _same_flow(draft: Draft, above: Line, line: Line, right: float, habits: TextHabits) -> bool:
    """Whether a line in another weight goes on the sentence above: a bold phrase at the end or start of a line."""
    step = line.baseline - above.baseline
    if abs(line.size - above.size) > _SAME_SIZE * above.size or not 0 < step <= _WIDER * habits.pitch * line.size:
        return False
    if draft.kind == "code" or above.text.endswith(tuple(_ENDS)):
        return False
    return line.text[:1].islower() or (not draft.bold and _is_full(above, line, right))


def _is_full(above: Line, line: Line, right: float) -> bool:
    """Whether the line above had no room for the first word of this one."""
    first = line.words[0]
    width = line.size if is_cjk(first.text[0]) else first.x1 - first.x0
    return above.x1 + min(width, 8 * line.size) + 0.5 * line.size > right - 1.0 * line.size


def _is_hard(above: Line, line: Line, right: float) -> bool:
    if ends_in_leaders(above.text):
        return True
    if above.rtl or line.rtl or _is_centred(above, line):
        return False
    slack = 2.5 if cjk_share(above.text) > 0.3 else 1.0
    first = line.words[0]
    width = line.size if is_cjk(first.text[0]) else first.x1 - first.x0
    return above.x1 + width + slack * line.size < right


def _is_centred(above: Line, line: Line) -> bool:
    middle = abs((above.x0 + above.x1) - (line.x0 + line.x1)) < 0.8 * line.size
    return middle and abs(above.x0 - line.x0) > 0.8 * line.size


def _set_indents(groups: list[Draft]) -> None:
    """Give list items their depth by where their marks stand."""
    stack: list[float] = []
    for draft in groups:
        if draft.kind != "list":
            if draft.kind != "paragraph" or not stack or draft.lines[0].x0 <= stack[0] + 2:
                stack = []
            continue
        x = draft.lines[0].x0
        while stack and x < stack[-1] - 4:
            stack.pop()
        if not stack or x > stack[-1] + 6:
            stack.append(x)
        draft.indent = min(len(stack) - 1, 5)
