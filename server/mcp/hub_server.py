"""The SDK's server, with what the protocol asks for beyond it."""

from collections.abc import Iterable
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    ListResourcesResult,
    PaginatedRequestParams,
    Resource,
)
from pydantic import AnyUrl, ValidationError

from khub.server.jobs.child_jobs import ChildJobs
from khub.server.mcp.closed_tool import refuse_unknown_arguments
from khub.server.mcp.cursors import cursor_at, offset_of
from khub.server.mcp.links import DOCUMENT, DOCUMENTS, MARKDOWN, address
from khub.server.mcp.meant_arguments import meant_arguments
from khub.server.mcp.warm_up import WarmUp

PAGE_SIZE = 100
LISTED = "resources"
JPEG = b"\xff\xd8\xff"


class HubServer(MCPServer[Any]):
    """Lists collections and documents among the resources, page by page, and refuses unknown tools and prompts.

    :param warm_up: is waited for before the documents are listed.
    :param jobs: the ingests that run for its clients.
    """

    def __init__(self, warm_up: WarmUp, jobs: ChildJobs, **settings: Any) -> None:
        super().__init__(**settings)
        self._warm_up = warm_up
        self.jobs = jobs

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        :raises MCPError: -32602 for one that there is not; the SDK would call it a failure of the tool.
        """
        tool = self._tool_manager.get_tool(name)
        if tool is None:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {name[:100]}")
        refuse_unknown_arguments(tool, arguments)
        try:
            return await super().call_tool(name, meant_arguments(tool.parameters, arguments), context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_bad_arguments(name, error.__cause__)) from error.__cause__
            raise

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Fill in a prompt.

        :raises MCPError: -32602 for one that there is not, or a missing argument.
        """
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)[:500]) from error

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource; a picture is given the type that it has, not that of its template."""
        contents = await super().read_resource(uri, context)
        if isinstance(contents, InputRequiredResult):
            return contents
        return [_typed(item) for item in contents]

    async def _handle_list_resources(
        self, _: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        offset = offset_of(params.cursor if params else None, LISTED)
        registered = await self.list_resources()
        await self._warm_up.finished()
        found = [*registered, *_hub_resources()]
        left = len(found) > offset + PAGE_SIZE
        return ListResourcesResult(
            resources=found[offset : offset + PAGE_SIZE],
            next_cursor=cursor_at(offset + PAGE_SIZE, LISTED) if left else None,
        )


def _bad_arguments(name: str, error: ValidationError) -> str:
    """Return which arguments are wrong, and how; without what was given, which may be long."""
    problems = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False))
    return f"Error executing tool {name}: {'; '.join(problems)} [request_invalid]"


def _hub_resources() -> list[Resource]:
    from khub.server.reads.hub_reads import collections, reader, title_of

    found = []
    for name in collections().names():
        uri = address(DOCUMENTS, collection=name)
        found.append(Resource(uri=uri, name=name, title=f"Documents of {name}", mime_type=MARKDOWN))
        for row in reader().documents(name, 0, -1):
            if row["status"] == "ready":
                uri = address(DOCUMENT, id=row["doc_id"])
                found.append(Resource(uri=uri, name=title_of(row), description=row["source"], mime_type=MARKDOWN))
    return found


def _typed(item: ReadResourceContents) -> ReadResourceContents:
    if isinstance(item.content, bytes) and item.content.startswith(JPEG):
        return ReadResourceContents(content=item.content, mime_type="image/jpeg", meta=item.meta)
    return item
