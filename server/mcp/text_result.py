"""The result of a tool that shows text: Markdown that stands alone, and the same as data."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_types import CallToolResult, ContentBlock, TextContent

from khub.components.text.inert_markdown import inert
from khub.server.mcp.budget import BUDGET_TOKENS, cut_to_tokens

OF_DOCUMENTS = ("title", "words", "source", "file")
"""Columns in the words of documents: they stand in quotes."""
CUT = "\n\n(shortened: narrow the question, or ask for the next page)"


def text_result(text: str, data: Mapping[str, Any], more: Sequence[ContentBlock] = ()) -> CallToolResult:
    """Return a result; no link goes with it, since adapters of other programs fail at one: the text names the ids.

    :param text: Markdown, of which nothing is live for a client that draws it; what is over the budget is cut off.
    :param data: what the text says, as the output schema has it.
    :param more: other contents, such as images.
    """
    text = inert(text)
    cut = cut_to_tokens(text, BUDGET_TOKENS)
    shown = inert(cut) + CUT if cut != text else text  # half of a pair of backticks hides nothing
    return CallToolResult(content=[TextContent(type="text", text=shown), *more], structured_content={**data})


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a Markdown table; None and columns that are empty in all of them are left out."""
    used = [name for name in columns if any(row.get(name) not in (None, "", []) for row in rows)]
    lines = [f"| {' | '.join(used)} |", f"| {' | '.join('---' for _ in used)} |"]
    lines += [f"| {' | '.join(_cell(name, row.get(name)) for name in used)} |" for row in rows]
    return "\n".join(lines) if used else ""


def _cell(name: str, value: Any) -> str:
    from khub.components.text.hidden_characters import in_quotes, on_one_line

    if value is None:
        return ""
    text = " ".join((", ".join(map(str, value)) if isinstance(value, list) else str(value)).split())
    return (in_quotes(text) if name in OF_DOCUMENTS else on_one_line(text)).replace("|", "\\|")
