"""The parts of a page: fenced blocks, tables, headings, links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDE = DOCS / "guide"
README, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
PAGES = sorted([README, CHINESE, *DOCS.rglob("*.md")])
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, its page, and the line on which it begins."""

    page: Path
    language: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{name(self.page)}:{self.line}-{self.language}"


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def in_chinese(page: Path) -> Path:
    return page.with_name(f"{page.stem}.zh-CN.md")


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page, those of some languages alone if any are named."""
    text = page.read_text(encoding="utf-8")
    found = [Block(page, m[1], m[2], text.count("\n", 0, m.start()) + 1) for m in FENCE.finditer(text)]
    return [block for block in found if not languages or block.language in languages]


def prose(page: Path) -> str:
    """The page with its blocks blanked, so that every place stays where it is."""
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), page.read_text(encoding="utf-8"))


def headings(page: Path, level: str = "#+") -> list[str]:
    return re.findall(rf"^{level} (.+)$", prose(page), re.MULTILINE)


def anchors(page: Path) -> set[str]:
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(page)}


def tables(page: Path) -> list[list[list[str]]]:
    """Tables as rows of cells, without the line below the head."""
    found = re.findall(r"(?:^\|.*\|\n)+", prose(page), re.MULTILINE)
    return [[_cells(row) for number, row in enumerate(table.splitlines()) if number != 1] for table in found]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def table_with(page: Path, text: str) -> list[list[str]]:
    """The rows, without the head, of the one table whose first one begins with a cell that holds a text."""
    (table,) = [table for table in tables(page) if text in table[1][0]]
    return table[1:]


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", prose(page))
