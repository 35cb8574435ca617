"""The agent of OpenAI's Agents SDK, with its own way to MCP."""

import asyncio
import json
import sys
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, and let the agent ask."""
    if "url" in given:
        headers = {"Authorization": f"Bearer {given['token']}"}
        server: Any = MCPServerStreamableHttp(
            params={"url": given["url"], "headers": headers, "timeout": 60}, client_session_timeout_seconds=120
        )
    else:
        command, *arguments = given["command"]
        server = MCPServerStdio(
            params={"command": command, "args": arguments, "env": given["environment"]},
            client_session_timeout_seconds=120,
        )
    model = OpenAIChatCompletionsModel("played", AsyncOpenAI(base_url=given["model"], api_key="none", max_retries=0))
    async with server:
        agent = Agent(
            "asker", model=model, mcp_servers=[server], mcp_config={"convert_schemas_to_strict": given["strict"]}
        )
        tools = await server.list_tools()
        result = await Runner.run(agent, given["question"])
    return {"tools": [tool.name for tool in tools], "answer": result.final_output}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
