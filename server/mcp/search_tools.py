"""The tool that answers a question."""

import asyncio
from collections.abc import Container
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from khub.components.answer import Answer
from khub.server.mcp.answer_result import answer_result
from khub.server.mcp.arguments import NAME_CHARACTERS, Collection, Filters, Query, TopK
from khub.server.mcp.cited_answer import CitedAnswer
from khub.server.mcp.closed_tool import closed_tool
from khub.server.mcp.given_filters import given_filters
from khub.server.mcp.progress import reported
from khub.server.mcp.tool_errors import told_to_the_model
from khub.server.mcp.warm_up import WarmUp

QUERY = (
    "Answer a question from the user's own documents with cited passages [n] (file, page). "
    "Use it first, one question at a time; `abstained` means that the documents hold no answer: say so. "
    "Not for general knowledge, nor to read a document through (read_section)."
)

TOP_K = 5
IMAGE_TOKENS = 5000
"""Of the pictures beside an answer: the rest of the budget is its text's."""
LEGS = {"both": None, "keyword": ["sparse"], "meaning": ["dense"]}

Mode = Annotated[
    Literal["both", "keyword", "meaning"],
    Field(
        description="`keyword`: exact words (names, codes, error messages). `meaning`: whatever the wording. "
        "`both` if left out."
    ),
]
Graph = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NAME_CHARACTERS,
        description="One of the graphs that list_collections names; `query` if left out.",
    ),
]
Detail = Annotated[
    Literal["concise", "full"],
    Field(description="`full`: passages whole, with all that is known of them. `concise` if left out."),
]


class SearchTools:
    """The tool `query_knowledge_hub`.

    :param warm_up: is waited for, since it needs what that loads.
    """

    def __init__(self, warm_up: WarmUp) -> None:
        self._warm_up = warm_up

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [closed_tool(self.query_knowledge_hub, "Ask the knowledge hub", QUERY)]

    async def query_knowledge_hub(
        self,
        query: Query,
        context: Context[Any, Any],
        mode: Mode = "both",
        collection: Collection = None,
        filters: Filters = None,
        top_k: TopK = TOP_K,
        graph: Graph = "query",
        detail: Detail = "concise",
    ) -> Annotated[CallToolResult, CitedAnswer]:
        """Answer through a graph of kind `query`."""
        await self._warm_up.finished()
        from khub.server.graphs.named_graphs import known_graph
        from khub.server.hub import Hub

        with told_to_the_model():
            async with reported(context):
                known = await asyncio.to_thread(known_graph, graph, "query")
                wanted = None if top_k == TOP_K and "top_k" not in known.inputs else top_k
                conditions, legs = given_filters(filters), _legs(mode, known.name, known.inputs)
                answer = await Hub(heal=True).ask_async(query, collection, known.name, wanted, conditions, legs)
            return await asyncio.to_thread(_result, answer, query, detail == "full")


def _legs(mode: str, graph: str, inputs: Container[str]) -> list[str] | None:
    from khub.components.errors import GraphError

    legs = LEGS[mode]
    if legs is not None and "legs" not in inputs:
        raise GraphError(
            f"graph {graph!r} does not search by {mode} alone",
            "leave out `mode`, or take the graph `query`",
            code="graph_input_wrong",
        )
    return legs


def _result(answer: Answer, query: str, full: bool) -> CallToolResult:
    from khub.server.mcp.budget import within
    from khub.server.mcp.stored_picture import as_content
    from khub.server.reads.hub_reads import has_several_collections
    from khub.server.reads.relevant_pictures import shown_with

    images = within(IMAGE_TOKENS, [one for one in map(as_content, shown_with(query, answer)) if one is not None])
    return answer_result(answer, query, full, has_several_collections(), images)
