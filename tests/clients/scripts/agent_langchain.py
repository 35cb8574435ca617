"""LangChain's agent, with the tools of its MCP adapters."""

import asyncio
import json
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, and let the agent ask."""
    if "url" in given:
        headers = {"Authorization": f"Bearer {given['token']}"}
        server: Any = {"transport": "streamable_http", "url": given["url"], "headers": headers}
    else:
        command, *arguments = given["command"]
        server = {"transport": "stdio", "command": command, "args": arguments, "env": given["environment"]}
    async with MultiServerMCPClient({"khub": server}).session("khub") as session:
        tools = await load_mcp_tools(session)
        model = ChatOpenAI(model="played", base_url=given["model"], api_key="none", max_retries=0)
        state = await create_agent(model, tools).ainvoke({"messages": [{"role": "user", "content": given["question"]}]})
    return {"tools": [tool.name for tool in tools], "answer": state["messages"][-1].content}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
