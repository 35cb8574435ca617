"""What is usual in a document: size, weight and leading of its running text."""

from collections import Counter
from collections.abc import Iterable
from statistics import median

from components.converters.pdf.layout import PageLayout, Segment
from components.converters.pdf.paragraphs import TextHabits

_USUAL_PITCH = 1.35
_FEWEST = 5
_LONG = 22
_ENOUGH = 0.1


def text_habits(pages: Iterable[PageLayout]) -> TextHabits:
    """Measure the running text of a document."""
    sizes: Counter[float] = Counter()
    running: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    mono: Counter[bool] = Counter()
    steps: list[float] = []
    for page in pages:
        previous: Segment | None = None
        for segment in page.segments:
            count = sum(len(word.text) for word in segment.words)
            if segment.angle:
                continue
            mono[segment.mono] += count
            bold[segment.bold] += count
            size = round(segment.size * 2) / 2
            sizes[size] += count if not segment.mono else count // 4
            if count >= _LONG and not segment.mono:
                running[size] += count
            if previous is not None and _follows(previous, segment, page.width):
                steps.append((segment.baseline - previous.baseline) / segment.size)
            previous = segment
    # Cells of tables are short; where there are whole lines of text, those say what is usual.
    if sum(running.values()) > _ENOUGH * sum(sizes.values()):
        sizes = running
    size = max(sizes, key=lambda each: sizes[each], default=12.0)
    pitch = median(steps) if len(steps) >= _FEWEST else _USUAL_PITCH
    return TextHabits(max(size, 1.0), min(max(pitch, 1.0), 2.2), bold[True] > bold[False], mono[True] > mono[False])


def _follows(above: Segment, below: Segment, width: float) -> bool:
    """Whether two segments are lines of one paragraph: under each other, equally set, the upper one long."""
    step = below.baseline - above.baseline
    same = abs(above.size - below.size) < 0.3 and abs(above.x0 - below.x0) < 2 * below.size
    return same and 0.9 * below.size < step < 2.3 * below.size and above.x1 - above.x0 > 0.3 * width
