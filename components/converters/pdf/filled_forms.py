"""What was filled in on a page, put among its words: a value behind its label, a tick before what it says."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.form_reader import FilledIn
from khub.components.converters.pdf.layout import Ruling, Segment, Word
from khub.components.converters.pdf.segments import clean_word

_BESIDE, _FAR = 30.0, 220.0
_ABOVE = 16.0
_OVER = 4.0
_SPACE, _LETTER = 0.25, 0.5
_LONGEST_LABEL = 60
_USUAL_SIZE = 10.0
_TALLER = 11.0
_TICKS = {True: "[x]", False: "[ ]"}


def fill_in(segments: list[Segment], filled: Sequence[FilledIn], rulings: Sequence[Ruling]) -> None:
    """Put what was filled in among the words of a page.

    :param segments: of the page; changed in place.
    :param rulings: a value that a line parts from its label stands in a cell of its own.
    """
    if not filled:
        return
    printed = [segment for segment in segments if segment.upright]
    size = median([segment.size for segment in printed]) if printed else _USUAL_SIZE
    values = [one for one in filled if one.kind in {"value", "typed", "note"}]
    values += _without_words(printed, filled, rulings)
    for value in values:
        label = _label_of(value, printed, filled) if value.kind in {"value", "radio"} else None
        if label is not None and not _is_parted(label, value.box, rulings):
            _append(label, value)
        else:
            named = label is None and value.kind in {"value", "radio"} and value.hint
            hint = f"{value.hint}: " if named else ""
            segments.append(_alone(value, f"{hint}{value.text}", size))


def _without_words(printed: Sequence[Segment], filled: Sequence[FilledIn], rulings: Sequence[Ruling]) -> list[FilledIn]:
    """Write ticks before the words they belong to; return the buttons that have none beside them, as fields."""
    left: list[FilledIn] = []
    groups: dict[str, list[FilledIn]] = defaultdict(list)
    for button in filled:
        if button.kind == "radio":
            groups[button.group].append(button)
        elif button.kind == "box":
            left += _ticked_box(button, printed, filled, rulings)
    for buttons in groups.values():
        places = [_place_of_tick(button, printed, filled, _BESIDE) for button in buttons]
        known = [(*place, button) for place, button in zip(places, buttons, strict=True) if place]
        if len({(id(segment), at) for segment, at, _ in known}) == len(buttons):
            for segment, at, button in sorted(known, key=lambda each: -each[1]):
                _insert(segment, at, button)
        elif any(button.ticked for button in buttons):
            left.append(_answer(buttons))
    return left


def _ticked_box(
    button: FilledIn, printed: Sequence[Segment], filled: Sequence[FilledIn], rulings: Sequence[Ruling]
) -> list[FilledIn]:
    """Write a box before the words it belongs to; return it as a field where it has none in its cell."""
    place = _place_of_tick(button, printed, filled, _FAR)
    if place and not _is_beyond(place, button.box, rulings):
        _insert(*place, button)
        return []
    if place:
        return [button._replace(kind="typed", text=_TICKS[True])] if button.ticked else []
    named = button.ticked or button.hint
    return [button._replace(text=f"{_TICKS[button.ticked]} {button.hint}", hint="")] if named else []


def _answer(buttons: Sequence[FilledIn]) -> FilledIn:
    """Return buttons without words beside them as one field whose value is what the ticked one stands for."""
    ticked = next(button for button in buttons if button.ticked)
    boxes = [button.box for button in buttons]
    first = min(boxes, key=lambda box: (box[1], box[0]))
    return ticked._replace(box=(first[0], first[1], max(box[2] for box in boxes), first[3]))


def _place_of_tick(
    button: FilledIn, printed: Sequence[Segment], filled: Sequence[FilledIn], farthest: float
) -> tuple[Segment, int] | None:
    """Return the words that a button belongs to, as a segment and the place in it before which its tick stands.

    :param farthest: how far left of it they may end; to its right they are near.
    """
    row = [segment for segment in printed if _in_row(segment, button.box)]
    right = _next_word(row, button.box)
    left = _label_left(button, row, filled)
    to_right = right[0].words[right[1]].x0 - button.box[2] if right else _FAR
    to_left = button.box[0] - left.x1 if left else _FAR
    if right and to_right <= _BESIDE and to_right <= to_left + _OVER:
        return right
    if left and to_left < farthest and len(left.text) <= _LONGEST_LABEL:
        return left, 0
    return None


def _next_word(row: Sequence[Segment], box: Box) -> tuple[Segment, int] | None:
    """Return the first word right of a box, as its segment and its place in it."""
    after = [
        (word.x0, segment, place)
        for segment in row
        for place, word in enumerate(segment.words)
        if word.x0 >= box[2] - _OVER
    ]
    if not after:
        return None
    _, segment, place = min(after, key=lambda each: each[0])
    return segment, place


def _insert(segment: Segment, place: int, button: FilledIn) -> None:
    word = segment.words[place]
    segment.words[place : place + 1] = [Word(_TICKS[button.ticked], word.x0, word.x0), word._replace(spaced=True)]


def _label_of(field: FilledIn, printed: Sequence[Segment], filled: Sequence[FilledIn]) -> Segment | None:
    row = [segment for segment in printed if _in_row(segment, field.box)]
    label = _label_left(field, row, filled) or _label_above(field, printed)
    if label is None or len(label.text) > _LONGEST_LABEL or not any(map(str.isalpha, label.text)):
        return None
    return label


def _label_left(field: FilledIn, row: Sequence[Segment], filled: Sequence[FilledIn]) -> Segment | None:
    """Return the words left of a field, unless another field stands between."""
    before = [segment for segment in row if segment.x1 <= field.box[0] + _OVER]
    label = max(before, key=lambda segment: segment.x1, default=None)
    if label is None or field.box[0] - label.x1 > _FAR:
        return None
    between = any(
        other is not field
        and other.group != field.group
        and _in_row(label, other.box)
        and label.x1 - _OVER <= other.box[0]
        and other.box[2] <= field.box[0] + _OVER
        for other in filled
    )
    return None if between else label


def _label_above(field: FilledIn, printed: Sequence[Segment]) -> Segment | None:
    """Return the words right above a field that begin where it does."""
    x0, top, x1, _ = field.box
    near = [s for s in printed if -_OVER <= top - s.baseline <= _ABOVE and x0 - 2 * _OVER <= s.x0 < x1]
    return min(near, key=lambda segment: (top - segment.baseline, segment.x0), default=None)


def _is_beyond(place: tuple[Segment, int], box: Box, rulings: Sequence[Ruling]) -> bool:
    """Whether a line is drawn between a button and the words beside it: they stand in other cells."""
    segment, at = place
    word, y = segment.words[at], (box[1] + box[3]) / 2
    start, end = (box[2] - _OVER, word.x0) if word.x0 >= box[2] - _OVER else (segment.x1, box[0] + _OVER)
    return any(
        line.x0 == line.x1
        and start < line.x0 < end
        and line.top <= y <= line.bottom
        and line.bottom - line.top > _TALLER
        for line in rulings
    )


def _is_parted(label: Segment, box: Box, rulings: Sequence[Ruling]) -> bool:
    """Whether a line is drawn between a label and the field behind it or below it."""
    x, y = (box[0] + min(box[2], label.x1)) / 2, (box[1] + box[3]) / 2
    for line in rulings:
        beside = line.x0 == line.x1 and label.x1 - _OVER < line.x0 < box[0] + _OVER and line.top <= y <= line.bottom
        below = line.top == line.bottom and label.baseline < line.top < box[1] + _OVER and line.x0 <= x <= line.x1
        if (beside and label.x1 < box[0] + _OVER) or (below and label.bottom < y):
            return True
    return False


def _append(label: Segment, field: FilledIn) -> None:
    last = label.words[-1]
    if not label.text.endswith((":", "：", "?", "？")):
        label.words[-1] = last._replace(text=f"{last.text}:")
    start = label.x1 + _SPACE * label.size  # as close as running text, or it would look like a column
    words = _words(field.text, start, start + _LETTER * label.size * len(field.text))
    label.words = [*label.words, *words]
    label.x1 = max(label.x1, words[-1].x1)


def _alone(field: FilledIn, text: str, size: float) -> Segment:
    x0, top, x1, bottom = field.box
    height = min(bottom - top, 2 * size)
    baseline = top + height / 2 + 0.35 * size
    low, high = baseline + 0.2 * size, baseline - 0.8 * size
    words = _words(text, x0, min(x1, x0 + _LETTER * size * len(text)))
    return Segment(words, x0, high, words[-1].x1, low, baseline, round(size, 1), aside=field.kind == "note")


def _words(text: str, x0: float, x1: float) -> list[Word]:
    parts = [clean_word(part) for part in text.split()]
    step = (x1 - x0) / max(sum(len(part) + 1 for part in parts), 1)
    words, at = [], x0
    for part in parts:
        words.append(Word(part, at, at + step * len(part)))
        at += step * (len(part) + 1)
    return words


def _in_row(segment: Segment, box: Box) -> bool:
    middle = (segment.top + segment.bottom) / 2
    return box[1] - 2 <= middle <= box[3] + 2 or segment.top <= (box[1] + box[3]) / 2 <= segment.bottom
