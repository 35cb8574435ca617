"""Blocks of Markdown, as a Word file gives them."""

import re
from dataclasses import dataclass

_BOLD_LINE = re.compile(r"\*\*([^*\n]{2,100}[^*\n.,:;!。，：；！])\*\*")


@dataclass(slots=True)
class Block:
    """One block of Markdown.

    :param kind: "heading", "title", "item", "code", "caption", "figure", "table", "comment" or "text".
    :param text: the Markdown.
    """

    kind: str
    text: str


def joined_lines(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())


def join_blocks(blocks: list[Block]) -> str:
    """Join blocks into Markdown: items of a list and lines of code stay together."""
    parts: list[str] = []
    before = ""
    for block in blocks:
        if block.kind == before == "item":
            parts[-1] += "\n" + block.text
        elif block.kind == before == "code":
            parts[-1] = f"{parts[-1][:-4]}\n{block.text}\n```"
        elif block.kind == "code":
            parts.append(f"```\n{block.text}\n```")
        else:
            parts.append(block.text)
        before = block.kind
    return "\n\n".join(parts)


def promote_bold_lines(blocks: list[Block]) -> list[Block]:
    """Make headings of short bold lines where the writer used no heading style at all.

    :param blocks: of a whole document.
    :returns: the blocks; as they are when any is a heading.
    """
    if any(block.kind in {"heading", "title"} for block in blocks):
        return blocks
    found = []
    for index, block in enumerate(blocks):
        line = _BOLD_LINE.fullmatch(block.text) if block.kind == "text" else None
        leads = index + 1 < len(blocks) and not _BOLD_LINE.fullmatch(blocks[index + 1].text)
        level = "#" if index == 0 else "##"
        found.append(Block("heading", f"{level} {line[1]}") if line and leads else block)
    return found
