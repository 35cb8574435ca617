"""Some pages of a PDF on their way to text, so that several processes can work on one document.

What depends on the whole document stands between the steps: each share says what it found, and is told what all of
them found. One share with all pages gives the same text as several.
"""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from khub.components.converters.pdf.asides import ASIDE_WORDS, AsideLine, aside_lines, remove_repeated_asides
from khub.components.converters.pdf.assemble import DraftedPage, PdfText, draft_page, set_text
from khub.components.converters.pdf.draft_fields import draft_from_list, draft_to_list
from khub.components.converters.pdf.habits import TextCounts, count_text, text_habits
from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Figure, PageLayout, Segment
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.outline import OutlineEntry
from khub.components.converters.pdf.paragraphs import TextHabits
from khub.components.converters.pdf.running_heads import EdgeLine, edge_lines, remove_running_heads
from khub.components.errors import SourceDamagedError, SourceError

_REPEATED = 3
_MARKS = ".,;:!?()[]\"'“”‘’"


@dataclass(slots=True)
class PdfShare:
    """Pages of a document, and what is said of all of it.

    Its methods are to be called in their order, each once. What they return and take can go through JSON.

    :param pages: in the order of the document; they are changed.
    :param outline: the document's bookmarks.
    :param title: from its metadata.
    :param name: used in messages.
    """

    pages: list[PageLayout]
    outline: list[OutlineEntry] = field(default_factory=list)
    title: str | None = None
    name: str = "the file"
    _edges: list[tuple[EdgeLine, Line]] = field(default_factory=list, init=False)
    _asides: list[tuple[AsideLine, Segment]] = field(default_factory=list, init=False)
    _removed: Counter[str] = field(default_factory=Counter, init=False)
    _habits: TextHabits | None = field(default=None, init=False)
    _hyphens: Hyphens = field(default_factory=Hyphens, init=False)
    _drafted: list[DraftedPage] = field(default_factory=list, init=False)

    def whole(self) -> PdfText:
        """Make the text of a document that has no other pages than these."""
        self.draft([self.clean([self.find_repeated()])])
        return self.finish([])

    def find_repeated(self) -> dict[str, Any]:
        """Return what may stand on several pages: lines near their edges, and pictures."""
        self._edges = [found for page in self.pages for found in edge_lines(page)]
        self._asides = [found for page in self.pages for found in aside_lines(page)]
        figures = [[_identity(figure), page.index] for page in self.pages for figure in page.figures]
        return {
            "pages": len(self.pages),
            "edges": [edge for edge, _ in self._edges],
            "asides": [line for line, _ in self._asides],
            "figures": figures,
        }

    def clean(self, found: list[dict[str, Any]]) -> dict[str, Any]:
        """Take out headers, footers, page numbers and decoration.

        :param found: what `find_repeated` returned for each share.
        :returns: how the text is set, and its words.
        """
        edges = [EdgeLine(*edge) for share in found for edge in share["edges"]]
        page_count = sum(share["pages"] for share in found)
        self._removed.update(remove_running_heads(self.pages, self._edges, edges, page_count))
        asides = [AsideLine(*line) for share in found for line in share["asides"]]
        self._removed[ASIDE_WORDS] += remove_repeated_asides(self.pages, self._asides, asides)
        self._removed["hidden words"] += sum(page.hidden for page in self.pages)
        self._drop_decoration(found)
        garbled = sum(page.garbled for page in self.pages)
        if garbled:
            self._removed["garbled words"] = garbled
        self._removed = +self._removed
        return {"text": count_text(self.pages).to_list(), "words": _words(self.pages)}

    def draft(self, counted: list[dict[str, Any]]) -> None:
        """Find the blocks of each page.

        :param counted: what `clean` returned for each share.
        """
        counts = TextCounts()
        for share in counted:
            counts.add(TextCounts.from_list(share["text"]))
            self._hyphens.vocabulary.update(share["words"])
        self._habits = text_habits(counts)
        self._drafted = [draft_page(page, self._habits, self._hyphens) for page in self.pages]

    def to_dict(self) -> dict[str, Any]:
        """Return the blocks of the pages, for the share that is to be finished."""
        pages = [
            [asdict(page.without_content()), [draft_to_list(draft) for draft in drafts]]
            for page, drafts in self._drafted
        ]
        return {"pages": pages, "removed": dict(self._removed), "joined": self._hyphens.joined}

    def finish(self, others: list[dict[str, Any]]) -> PdfText:
        """Make the text of the document.

        :param others: what `to_dict` returned for the other shares.
        :raises SourceError: when none of its pages could be read.
        """
        drafted = self._drafted
        for share in others:
            self._removed.update(share["removed"])
            self._hyphens.joined += share["joined"]
            drafted += [
                (PageLayout(**page), [draft_from_list(draft) for draft in drafts]) for page, drafts in share["pages"]
            ]
        drafted.sort(key=lambda each: each[0].index)
        habits = self._habits or text_habits(TextCounts())
        text = set_text(drafted, habits, self._hyphens, dict(self._removed), self.outline, self.title)
        if len(text.damaged) == len(text.pages):
            raise damaged_pdf(self.name, "none of its pages can be opened")
        return text

    def _drop_decoration(self, found: list[dict[str, Any]]) -> None:
        """Drop pictures that stand on several pages: a logo, a background."""
        seen: dict[str, set[int]] = defaultdict(set)
        for share in found:
            for identity, page in share["figures"]:
                seen[identity].add(page)
        for layout in self.pages:
            layout.figures = [
                figure for figure in layout.figures if figure.kind == "page" or len(seen[_identity(figure)]) < _REPEATED
            ]


def damaged_pdf(name: str, reason: str) -> SourceError:
    """Build the error for a PDF that cannot be read."""
    return SourceDamagedError(
        f"{name!r} is damaged or no PDF ({reason})", "open and save it with a PDF program, or replace it"
    )


def _identity(figure: Figure) -> str:
    return figure.digest or f"{figure.kind} {[round(side) for side in figure.box]}"


def _words(pages: list[PageLayout]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for page in pages:
        for segment in page.segments:
            counts.update([word.text.strip(_MARKS).casefold() for word in segment.words])
    return counts
