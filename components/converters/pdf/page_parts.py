"""One page taken apart: tables, figures and the text between them, in reading order."""

from collections.abc import Iterator, Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.column_tables import take_number_tables
from khub.components.converters.pdf.drafts import Draft, draft_of
from khub.components.converters.pdf.drawn_forms import Form
from khub.components.converters.pdf.drop_caps import join_drop_caps
from khub.components.converters.pdf.figure_labels import figure_words
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Figure, PageLayout, Segment
from khub.components.converters.pdf.lines import Line, to_lines
from khub.components.converters.pdf.lost_ligatures import mend_ligatures
from khub.components.converters.pdf.number_tables import find_number_tables
from khub.components.converters.pdf.paragraphs import TextHabits, to_drafts
from khub.components.converters.pdf.reading_order import Item, item_of, order
from khub.components.converters.pdf.ruled_tables import find_ruled_tables
from khub.components.converters.pdf.scripts import cjk_share, is_rtl
from khub.components.converters.pdf.tables import Table
from khub.components.converters.pdf.twin_tables import find_twins, split_twins
from khub.components.converters.pdf.unruled_tables import find_tables
from khub.components.converters.pdf.wide_tables import find_wide_tables

Thing = Table | Form | Figure | Segment
_WIDE = 0.6
_HEAD = 0.13
_FEWEST_FULL, _ENDS_ALIKE, _MOSTLY = 3, 0.6, 0.5


def page_drafts(page: PageLayout, habits: TextHabits, hyphens: Hyphens) -> list[Draft]:
    """Return the blocks of a page in reading order; which are headings is not decided yet."""
    number = page.index + 1
    upright = mend_ligatures([segment for segment in page.segments if segment.upright], hyphens.vocabulary)
    upright = join_drop_caps(upright, hyphens)
    drawn, rest = find_ruled_tables(upright, page.rulings, hyphens)
    labels, inside = _labels([*rest, *(s for s in page.segments if not s.upright)], page.figures)
    rest, apart = [s for s in inside if s.upright], [s for s in inside if not s.upright]
    drafts: list[Draft] = []
    for things in _beside([*drawn, *page.figures, *rest]):
        drafts += _part_drafts(number, things, page, habits, hyphens, labels)
    return _with_asides(drafts, number, apart, page.height)


def _beside(things: list[Thing]) -> list[list[Thing]]:
    """Part a page where tables stand side by side: what is above them, the left one, the right one, what is below."""
    segments = [thing for thing in things if isinstance(thing, Segment)]
    twins = find_twins(segments, [thing.box for thing in things if not isinstance(thing, Segment)])
    if twins is None:
        return [things]
    parts: list[list[Thing]] = [[], [], [], []]
    for thing in things:
        box = thing.box
        middle = (box[1] + box[3]) / 2
        place = 0 if middle < twins.top else 3 if middle > twins.bottom else 1 + (box[0] + box[2] > 2 * twins.x)
        parts[place].append(thing)
    return [part for part in parts if part]


def _part_drafts(
    number: int,
    found: list[Thing],
    page: PageLayout,
    habits: TextHabits,
    hyphens: Hyphens,
    labels: dict[int, list[Segment]],
) -> list[Draft]:
    boxes = [part for thing in found if not isinstance(thing, Segment) for part in _single(thing)]
    rest = [thing for thing in found if isinstance(thing, Segment)]
    numbers, rest = take_number_tables(rest, page.rulings, hyphens)
    wide, rest = find_wide_tables(rest, page.rulings, hyphens)
    numbers = [part for table in numbers for part in split_twins(table)]
    things: list[Thing] = [*boxes, *numbers, *wide, *rest]
    items = [_item(index, thing) for index, thing in enumerate(things)]
    rtl = is_rtl(" ".join(segment.text for segment in rest[:60]))
    drafts: list[Draft] = []
    for region in order(items, page.rulings, rtl):
        drafts.extend(_region_drafts(number, region, things, page, habits, hyphens, labels))
    return drafts


def _single(thing: Table | Form | Figure) -> Sequence[Table | Form | Figure]:
    return split_twins(thing) if isinstance(thing, Table) else [thing]


def _with_asides(drafts: list[Draft], number: int, apart: Sequence[Segment], height: float) -> list[Draft]:
    """Put what is set apart from the text before it, where it stands above all of it, or behind it."""
    level = to_lines(segment for segment in apart if not segment.angle)
    lines = [*level, *(Line([segment]) for segment in apart if segment.angle)]
    above = [line for line in level if line.bottom < _HEAD * height]
    before = [draft_of("aside", number, [line]) for line in above]
    behind = [draft_of("aside", number, [line]) for line in lines if line not in above]
    return [*before, *drafts, *behind]


def _labels(segments: list[Segment], figures: Sequence[Figure]) -> tuple[dict[int, list[Segment]], list[Segment]]:
    """Part the words that stand in a drawing from the rest."""
    labels: dict[int, list[Segment]] = {}
    rest: list[Segment] = []
    drawings = [(index, figure.box) for index, figure in enumerate(figures) if figure.kind == "drawing"]
    for segment in segments:
        middle = ((segment.x0 + segment.x1) / 2, (segment.top + segment.bottom) / 2)
        owner = next((index for index, box in drawings if _holds(box, middle)), None)
        if owner is None:
            rest.append(segment)
        else:
            labels.setdefault(owner, []).append(segment)
    return labels, rest


def _region_drafts(
    number: int,
    region: Sequence[Item],
    things: Sequence[Thing],
    page: PageLayout,
    habits: TextHabits,
    hyphens: Hyphens,
    labels: dict[int, list[Segment]],
) -> list[Draft]:
    segments = [thing for item in region if isinstance(thing := things[item.place], Segment)]
    boxes = [thing for item in region if isinstance(thing := things[item.place], Table | Form | Figure)]
    right = _right_edge(region, page)
    drafts: list[Draft] = []
    lines: list[Line] = []
    placed: list[tuple[float, Line | Table | Form | Figure]] = [(line.top, line) for line in to_lines(segments)]
    placed += [(box.box[1], box) for box in boxes]
    for _, part in sorted(placed, key=lambda each: each[0]):
        if isinstance(part, Line):
            lines.append(part)
            continue
        drafts.extend(_text_drafts(number, lines, page, right, habits, hyphens))
        lines = []
        if isinstance(part, Table):
            drafts.append(Draft("table", number, part.box, table=part))
            continue
        if isinstance(part, Form):
            drafts.extend(draft for field, edge in part.fields for draft in to_drafts(number, field, edge, habits))
            continue
        drafts.append(Draft("figure", number, part.box, figure=part))
        inside = labels.get(next(index for index, figure in enumerate(page.figures) if figure is part))
        if inside:
            drafts.append(figure_words(number, inside))
    drafts.extend(_text_drafts(number, lines, page, right, habits, hyphens))
    return drafts


def _text_drafts(
    number: int, lines: list[Line], page: PageLayout, right: float, habits: TextHabits, hyphens: Hyphens
) -> list[Draft]:
    drafts: list[Draft] = []
    text: list[Line] = []
    for thing in _with_tables(lines, page, hyphens):
        if isinstance(thing, Line):
            text.append(thing)
            continue
        drafts.extend(to_drafts(number, text, right, habits))
        text = []
        drafts.append(Draft("table", number, thing.box, table=thing))
    return [*drafts, *to_drafts(number, text, right, habits)]


def _with_tables(lines: list[Line], page: PageLayout, hyphens: Hyphens) -> Iterator[Line | Table]:
    """Yield the lines of a region, those of tables replaced by them: tables of figures first, which are the surer."""
    text: list[Line] = []
    for thing in find_number_tables(lines, page.rulings, hyphens):
        if isinstance(thing, Line):
            text.append(thing)
            continue
        yield from find_tables(text, page.rulings, hyphens)
        yield thing
        text = []
    yield from find_tables(text, page.rulings, hyphens)


def _right_edge(region: Sequence[Item], page: PageLayout) -> float:
    """Return where the lines of a region end; on a page with short lines only, where its margin lets them."""
    written = [item for item in region if item.text]
    right = max((item.x1 for item in written), default=0.0)
    left = min((item.x0 for item in written), default=0.0)
    if right - left > _WIDE * page.width or len(written) >= 8 or _are_set_full(written, right):
        return right
    alone = all(segment.x1 <= right + 1 for segment in page.segments)
    return max(right, page.width - left) if alone else right


def _are_set_full(written: Sequence[Item], right: float) -> bool:
    """Whether most of a few lines of Chinese end where the longest does, as lines of a paragraph do."""
    full = [item for item in written if right - item.x1 < _ENDS_ALIKE * item.size]
    chinese = cjk_share("".join(item.text for item in full)) > _MOSTLY
    return chinese and len(full) >= _FEWEST_FULL and len(full) > _MOSTLY * len(written)


def _item(place: int, thing: Thing) -> Item:
    if isinstance(thing, Segment):
        return item_of(place, thing)
    x0, top, x1, bottom = thing.box
    return Item(x0, top, x1, bottom, bottom, bottom - top, "", place)


def _holds(box: Box, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
