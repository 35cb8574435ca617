"""What is usual in a document: size, weight and leading of its running text."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from khub.components.converters.pdf.layout import PageLayout, Segment
from khub.components.converters.pdf.paragraphs import TextHabits

_USUAL_PITCH = 1.35
_FEWEST = 5
_LONG = 22
_ENOUGH = 0.1
_LARGER, _STEP, _MUCH_LARGER = 1.12, 0.05, 1.4
_MOST_LARGER = 0.12


@dataclass(slots=True)
class TextCounts:
    """What is counted of the text of some pages, by font size, weight and pitch.

    :param running: as `sizes`, of long stretches only.
    :param steps: from one baseline to the next inside paragraphs, in font sizes.
    """

    sizes: Counter[float] = field(default_factory=Counter)
    running: Counter[float] = field(default_factory=Counter)
    bold: int = 0
    mono: int = 0
    all: int = 0
    steps: list[float] = field(default_factory=list)

    def add(self, other: "TextCounts") -> None:
        """Add what was counted of other pages."""
        self.sizes.update(other.sizes)
        self.running.update(other.running)
        self.bold += other.bold
        self.mono += other.mono
        self.all += other.all
        self.steps += other.steps

    def to_list(self) -> list[Any]:
        """Return what JSON can hold."""
        return [[*self.sizes.items()], [*self.running.items()], self.bold, self.mono, self.all, self.steps]

    @classmethod
    def from_list(cls, fields: list[Any]) -> "TextCounts":
        """Build it from what `to_list` returned, even after a way through JSON."""
        sizes, running, *rest = fields
        return cls(Counter(dict(sizes)), Counter(dict(running)), *rest)


def count_text(pages: Iterable[PageLayout]) -> TextCounts:
    """Measure the text of some pages."""
    counts = TextCounts()
    for page in pages:
        previous: Segment | None = None
        for segment in page.segments:
            count = sum([len(word.text) for word in segment.words])
            if not segment.upright:
                continue
            counts.all += count
            counts.mono += count if segment.mono else 0
            counts.bold += count if segment.bold else 0
            size = round(segment.size * 2) / 2
            counts.sizes[size] += count if not segment.mono else count // 4
            if count >= _LONG and not segment.mono:
                counts.running[size] += count
            if previous is not None and _follows(previous, segment, page.width):
                counts.steps.append((segment.baseline - previous.baseline) / segment.size)
            previous = segment
    return counts


def text_habits(counts: TextCounts) -> TextHabits:
    """Return what is usual in a document, all of whose pages were counted."""
    # Cells of tables are short; where there are whole lines of text, those say what is usual.
    running = sum(counts.running.values()) > _ENOUGH * sum(counts.sizes.values())
    sizes = counts.running if running else counts.sizes
    size = max(sorted(sizes), key=lambda each: sizes[each], default=12.0)
    larger = _LARGER * size
    # Where sizes vary as they do in text that was recognised from a scan, a little larger says nothing.
    while larger < _MUCH_LARGER * size and sum(
        count for each, count in sizes.items() if each >= larger
    ) > _MOST_LARGER * sum(sizes.values()):
        larger += _STEP * size
    pitch = median(counts.steps) if len(counts.steps) >= _FEWEST else _USUAL_PITCH
    return TextHabits(
        max(size, 1.0),
        larger,
        min(max(pitch, 1.0), 2.2),
        2 * counts.bold > counts.all,
        2 * counts.mono > counts.all,
    )


def _follows(above: Segment, below: Segment, width: float) -> bool:
    """Whether two segments are lines of one paragraph: under each other, equally set, the upper one long."""
    step = below.baseline - above.baseline
    same = abs(above.size - below.size) < 0.3 and abs(above.x0 - below.x0) < 2 * below.size
    return same and 0.9 * below.size < step < 2.3 * below.size and above.x1 - above.x0 > 0.3 * width
