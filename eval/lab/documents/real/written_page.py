"""What stands on a page of a real PDF, as a reader wrote it down: `pages/DOCUMENT/PAGE.md`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from khub.eval.lab.documents.model import Heading
from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.structure import Grid, Structure, Text

PAGES = Path(__file__).with_name("pages")
FURNITURE = re.compile(r"<!--\s*furniture:(.*?)-->", re.DOTALL)
SKIPPED = "<!-- skipped:"
CUT = "..."
"""What "…" becomes where texts are compared."""
ANCHOR_WORDS = 5


@dataclass(frozen=True)
class WrittenPage:
    """A page, and what a reader finds on it.

    :param document: the PDF's file name without its extension.
    :param number: from 1.
    :param furniture: running heads and feet.
    :param content: headings, tables with one row of head, and the beginnings of all other blocks, in reading order.
    """

    document: str
    number: int
    furniture: tuple[str, ...]
    content: Structure

    @property
    def half(self) -> str:
        """`choose` or `measure`: which half its document belongs to, drawn by the hash of its name."""
        return half_of(self.document)

    def anchors(self) -> list[str]:
        """Return the first words of each block, in reading order: by them it is told where the block came out."""
        return [anchor for part in self.content.parts if (anchor := _anchor(part))]


def half_of(document: str) -> str:
    """Return the half that a document belongs to: all of its pages are in one."""
    return "choose" if sha256(f"{document}.pdf".encode()).digest()[0] % 2 else "measure"


def read_pages(folder: Path = PAGES) -> list[WrittenPage]:
    """Return all pages that were written down."""
    return list(_pages(folder))


def _pages(folder: Path) -> Iterator[WrittenPage]:
    for file in sorted(folder.glob("*/*.md"), key=lambda path: (path.parent.name, int(path.stem))):
        text = file.read_text(encoding="utf-8")
        if text.startswith(SKIPPED):
            continue
        found = FURNITURE.search(text)
        furniture = tuple(part.strip() for part in found[1].split(" | ") if part.strip()) if found else ()
        yield WrittenPage(file.parent.name, int(file.stem), furniture, read_markdown(text))


def _anchor(part: Heading | Grid | Text) -> str:
    """Return the words that stand for a block; none where there are too few to find it again."""
    if isinstance(part, Grid):
        return next((cell.text for row in part.rows[1:] for cell in row if len(cell.text) > ANCHOR_WORDS), "")
    text = part.text.removesuffix(CUT).strip()
    return text if len(text) > ANCHOR_WORDS else ""
