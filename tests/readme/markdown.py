"""The parts of a README: fenced blocks, tables, headings, links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, the line on which it begins, and the number of the `##` section that it stands in."""

    language: str
    text: str
    line: int
    section: int

    def __str__(self) -> str:
        return f"{self.line}-{self.language}"


def blocks(path: Path) -> list[Block]:
    page = path.read_text(encoding="utf-8")
    sections = [match.start() for match in re.finditer(r"^## ", prose(path), re.MULTILINE)]
    return [
        Block(
            match[1],
            match[2],
            page.count("\n", 0, match.start()) + 1,
            sum(start < match.start() for start in sections) - 1,
        )
        for match in FENCE.finditer(page)
    ]


def prose(path: Path) -> str:
    """The page with its blocks blanked, so that every place stays where it is."""
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), path.read_text(encoding="utf-8"))


def headings(path: Path, level: str = "#+") -> list[str]:
    return re.findall(rf"^{level} (.+)$", prose(path), re.MULTILINE)


def section_of(path: Path, word: str) -> int:
    """The number of the one `##` section in whose heading the word stands."""
    (number,) = [number for number, heading in enumerate(headings(path, "##")) if word in heading]
    return number


def tables(path: Path) -> list[list[list[str]]]:
    """Tables as rows of cells, without the line below the head."""
    found = re.findall(r"(?:^\|.*\|\n)+", prose(path), re.MULTILINE)
    return [[_cells(row) for number, row in enumerate(table.splitlines()) if number != 1] for table in found]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def table_with(path: Path, text: str) -> list[list[str]]:
    """The rows, without the head, of the one table whose first one begins with a cell that holds a text."""
    (table,) = [table for table in tables(path) if text in table[1][0]]
    return table[1:]


def links(path: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", prose(path))
