"""A source text: its front matter, and its Markdown as blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

SUFFIX = ".md.in"
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_WIDE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
_COMMENT = re.compile(r"\A<!--\s*(.*?)\s*-->\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Source:
    """One source text.

    :param name: file name without `.md.in`.
    :param title: title of the document.
    :param language: `en` or `zh`.
    :param format: `pdf`, `docx`, `pptx` or `xlsx`.
    :param columns: columns of a PDF's pages, 1 or 2.
    :param scanned: numbers (from 1) of the pages that a PDF holds as pictures.
    :param blocks: the body.
    """

    name: str
    title: str
    language: str
    format: str
    columns: int
    scanned: tuple[int, ...]
    blocks: list[SyntaxTreeNode]


def read_source(path: Path) -> Source:
    """Read a source text.

    :param path: a file that ends in `.md.in`.
    :raises ValueError: when its front matter is missing or says something unknown.
    """
    text = path.read_text(encoding="utf-8")
    front = _FRONT_MATTER.match(text)
    if not front:
        raise ValueError(f"{path.name} has no front matter between lines of dashes")
    fields = dict(re.split(r"\s*:\s*", line, maxsplit=1) for line in front[1].splitlines() if line.strip())
    fields = {key: value.strip().strip('"') for key, value in fields.items()}
    unknown = set(fields) - {"title", "language", "format", "columns", "scanned"}
    if unknown or fields.get("language") not in {"en", "zh"} or not fields.get("title"):
        raise ValueError(f"{path.name} needs a title and a language en or zh, and does not know {sorted(unknown)}")
    return Source(
        name=path.name.removesuffix(SUFFIX),
        title=fields["title"],
        language=fields["language"],
        format=fields.get("format", ""),
        columns=int(fields.get("columns", "1")),
        scanned=tuple(map(int, re.findall(r"\d+", fields.get("scanned", "")))),
        blocks=markdown_blocks(text[front.end() :]),
    )


def markdown_blocks(text: str) -> list[SyntaxTreeNode]:
    """Parse a text into its top-level Markdown blocks."""
    return SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text)).children


def runs(node: SyntaxTreeNode) -> Iterator[tuple[str, bool]]:
    """Yield the text of a block as (text, is bold) runs."""
    for text, styles in styled_runs(node):
        yield text, "strong" in styles


def styled_runs(node: SyntaxTreeNode) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the text of a block as (text, styles) runs; styles are of `strong`, `em` and `code`."""
    for part in node.walk():
        if part.type in {"text", "code_inline"}:
            around = {"code"} if part.type == "code_inline" else set()
            above = part.parent
            while above is not None and above.type != "inline":
                around.add(above.type)
                above = above.parent
            yield part.content, frozenset(around & {"strong", "em", "code"})
        elif part.type in {"softbreak", "hardbreak"}:
            yield ("\n" if part.type == "hardbreak" else _joint(part)), frozenset()


def _joint(line_end: SyntaxTreeNode) -> str:
    """Return what joins two lines of a paragraph: nothing between Chinese characters, else a space."""
    before, after = line_end.previous_sibling, line_end.next_sibling
    chinese = before and after and _WIDE.match(before.content[-1:]) and _WIDE.match(after.content[:1])
    return "" if chinese else " "


def plain(node: SyntaxTreeNode) -> str:
    """Return the text of a block without its marks."""
    return "".join(text for text, _ in runs(node))


def table_rows(table: SyntaxTreeNode) -> list[list[SyntaxTreeNode]]:
    """Return the cells of a Markdown table, the header row first."""
    return [row.children for part in table.children for row in part.children]


def list_items(block: SyntaxTreeNode) -> list[SyntaxTreeNode]:
    """Return the items of a list.

    :raises ValueError: when an item holds more than one paragraph.
    """
    for item in block.children:
        if len(item.children) > 1:
            raise ValueError(f"a list item holds more than a paragraph: {plain(item)[:60]!r}")
    return block.children


def comment(block: SyntaxTreeNode) -> str | None:
    """Return what stands in an HTML comment; None for any other block."""
    found = _COMMENT.match(block.content) if block.type == "html_block" else None
    return found[1] if found else None


def figure(block: SyntaxTreeNode) -> tuple[str, str] | None:
    """Return (name, caption) of a paragraph that is `![caption](figure:name)`, else None."""
    if block.type != "paragraph" or len(block.children) != 1 or len(block.children[0].children) != 1:
        return None
    image = block.children[0].children[0]
    target = str(image.attrs.get("src", "")) if image.type == "image" else ""
    return (target.removeprefix("figure:"), image.content) if target.startswith("figure:") else None
