"""FastMCP's client."""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from tool_loop import answered


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, and let the model ask; and take a result as data."""
    if "url" in given:
        transport: Any = StreamableHttpTransport(given["url"], auth=given["token"])
    else:
        command, *arguments = given["command"]
        transport = StdioTransport(command, arguments, env=given["environment"], keep_alive=False)
    async with Client(transport) as client:
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await client.list_tools()]

        async def call(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
            result = await client.call_tool(name, arguments)
            return [block.model_dump(mode="json", by_alias=True) for block in result.content]

        answer = await answered(given["model"], given["question"], tools, call)
        found = await client.call_tool("query_knowledge_hub", {"query": given["question"], "top_k": "2"})
        first = found.data.citations[0]
        title = first["title"] if isinstance(first, dict) else first.title
    return {"tools": [tool["name"] for tool in tools], "answer": answer, "title": title}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
