"""The tool that checks an answer against the documents."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.components.answer import Citation
from khub.components.text.place_words import in_the_file
from khub.components.value import as_json
from khub.components.verification import Verification
from khub.server.mcp.arguments import Collection
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.progress import reported
from khub.server.mcp.text_result import text_result
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.untrusted import quoted
from khub.server.mcp.warm_up import WarmUp

VERIFY = (
    "Compare a text claim by claim with the documents: each agrees, differs or is not_found (rules cannot judge it: "
    "read its passages). Use it on a draft before the user relies on it. Not to get an answer, nor for opinions."
)


class VerifyTool:
    """The tool `verify_answer`.

    :param warm_up: is waited for, since the check needs what it loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [closed_tool(self.verify_answer, "Check an answer", VERIFY)]

    async def verify_answer(
        self,
        answer: Annotated[str, Field(min_length=1, max_length=20_000, description="The text to check.")],
        context: Context[Any, Any],
        collection: Collection = None,
    ) -> Annotated[CallToolResult, Verification]:
        """Check a text."""
        await self._warm_up.finished()
        from khub.server.hub import Hub

        with told_to_the_model():
            async with reported(context):
                found = await Hub().verify_async(answer, collection)
        return text_result(_as_markdown(found), as_json(found))


def _as_markdown(found: Verification) -> str:
    parts = []
    for number, claim in enumerate(found.claims, start=1):
        lines = [f"**{number}. {claim.verdict}** — {' '.join(claim.claim.split())}"]
        if claim.reason:
            lines.append(f"   {' '.join(claim.reason.split())}")
        parts.append("\n".join(lines))
        parts += map(_place, claim.citations)
    if found.summary:
        parts.append("Summary: " + ", ".join(f"{name} {value}" for name, value in found.summary.items()))
    return "\n\n".join(parts) if parts else "The text makes no claim that could be checked."


def _place(citation: Citation) -> str:
    from khub.components.catalog.parts import shown_name
    from khub.components.text.hidden_characters import in_quotes

    page = in_the_file(citation.page, citation.time_mark)
    section = f" › {in_quotes(citation.section)}" if citation.section else ""
    passage = f" (`chunk_id` {citation.chunk_id})" if citation.chunk_id else ""
    place = f"   {in_quotes(shown_name(citation.source))}{section}{page}{passage}"
    return f"{place}\n\n{quoted(citation.evidence or citation.text)}"
