"""Boxes to tick that are drawn: small squares beside words; a cross, a tick or an x in one says that it is ticked."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.boxes import inside, overlap
from khub.components.converters.pdf.drawing_reader import Drawings
from khub.components.converters.pdf.form_reader import FilledIn
from khub.components.converters.pdf.layout import Ruling, Segment, Word

_SMALLEST, _LARGEST = 5.5, 14.0
_SQUARE = 0.75
_SAME = 1.0
_FEWEST = 2
_APART = 3.0
_NEAR = 20.0
_COVERED = 0.3
_TICKS = frozenset("xX×✓✔✕✖✗✘☑☒\uf0fb\uf0fc\uf0fd\uf0fe\uf034\uf038")


def drawn_boxes(drawings: Drawings, segments: list[Segment], filled: Sequence[FilledIn]) -> list[FilledIn]:
    """Return the boxes to tick that are drawn on a page, as those of a form are.

    :param segments: of the page; an x that stands in a box is taken out.
    :param filled: fields of a form, whose boxes are drawn, too.
    """
    crossed = [box for box in drawings.pieces if _is_square(box)]
    plain = [*filter(_is_square, drawings.frames), *_of_lines(drawings.rulings)]
    sizes = [box[2] - box[0] for box in plain]
    alike = [box for box in crossed if any(abs(box[2] - box[0] - size) < _SAME for size in sizes)]
    squares = _distinct([*plain, *alike])
    if len(squares) < _FEWEST:
        return []
    taken = [
        *(field.box for field in filled),
        *drawings.fills,
        *drawings.swatches,
        *drawings.dots,
    ]  # a filled square is one of a legend
    own = [box for box in squares if not any(overlap(box, other) > _COVERED for other in taken)]
    alone = [box for box in own if not any(_touch(box, other) for other in squares if other is not box)]
    found = []
    for box in alone:
        written = [(segment, word) for segment in segments for word in _within(segment, box)]
        if any(set(word.text) - _TICKS for _, word in written) or not _has_words(box, segments):
            continue
        drawn = any(inside(piece, box) and overlap(box, piece) > _COVERED for piece in drawings.pieces)
        for segment, word in written:
            segment.words.remove(word)
        found.append(FilledIn("box", box, "", drawn or bool(written)))
    segments[:] = [segment for segment in segments if segment.words]
    return found


def _within(segment: Segment, box: Box) -> list[Word]:
    """Return the words of a segment that stand in a box."""
    if not box[1] <= (segment.top + segment.bottom) / 2 <= box[3] or segment.x1 < box[0] or segment.x0 > box[2]:
        return []
    return [word for word in segment.words if box[0] <= (word.x0 + word.x1) / 2 <= box[2]]


def _is_square(box: Box) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return (
        min(width, height) >= _SMALLEST
        and max(width, height) <= _LARGEST
        and min(width, height) > _SQUARE * max(width, height)
    )


def _of_lines(rulings: Sequence[Ruling]) -> Iterable[Box]:
    """Return the squares that are drawn line by line."""
    sides: dict[tuple[int, int], list[Ruling]] = defaultdict(list)
    for line in rulings:
        if line.x0 == line.x1 and line.bottom - line.top <= _LARGEST:
            sides[round(line.top), round(line.bottom)].append(line)
    tops = [line for line in rulings if line.top == line.bottom and line.x1 - line.x0 <= _LARGEST + _SAME]
    for lines in sides.values():
        lines.sort()
        for one, other in pairwise(lines):
            box = (one.x0, one.top, other.x0, one.bottom)
            if _is_square(box) and any(
                abs(top.x0 - one.x0) <= _SAME and abs(top.x1 - other.x0) <= _SAME and abs(top.top - one.top) <= _SAME
                for top in tops
            ):
                yield box


def _distinct(boxes: Sequence[Box]) -> list[Box]:
    found: list[Box] = []
    for box in boxes:
        if not any(overlap(box, other) > _COVERED for other in found):
            found.append(box)
    return found


def _touch(box: Box, other: Box) -> bool:
    """Whether boxes stand side by side, as those for the digits of a number do."""
    beside = max(box[0], other[0]) - min(box[2], other[2]) < _APART
    return beside and abs(box[1] - other[1]) < _APART


def _has_words(box: Box, segments: Sequence[Segment]) -> bool:
    middle = (box[1] + box[3]) / 2
    return any(
        segment.top <= middle <= segment.bottom
        and min(abs(word.x0 - box[2]), abs(box[0] - word.x1)) < _NEAR
        and any(map(str.isalpha, word.text))
        for segment in segments
        for word in segment.words
    )
