"""MCP's own SDK, in its versions 1 and 2."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from tool_loop import answered


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, and let the model ask."""
    async with AsyncExitStack() as stack:
        if "url" in given:
            headers = {"Authorization": f"Bearer {given['token']}"}
            http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
            streams = await stack.enter_async_context(streamable_http_client(given["url"], http_client=http))
        else:
            command, *arguments = given["command"]
            parameters = StdioServerParameters(command=command, args=arguments, env=given["environment"])
            streams = await stack.enter_async_context(stdio_client(parameters))
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        await session.initialize()
        tools = (await session.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]

        async def call(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
            result = (await session.call_tool(name, arguments)).model_dump(mode="json", by_alias=True)
            assert not result["isError"], result
            return list(result["content"])

        answer = await answered(given["model"], given["question"], tools, call)
    return {"tools": [tool["name"] for tool in tools], "answer": answer}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
