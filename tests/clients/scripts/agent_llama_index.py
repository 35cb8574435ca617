"""LlamaIndex's agent, with the tools of its MCP package."""

import asyncio
import json
import sys
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, and let the agent ask."""
    if "url" in given:
        headers = {"Authorization": f"Bearer {given['token']}"}
        client = BasicMCPClient(given["url"], headers=headers, timeout=120)
    else:
        command, *arguments = given["command"]
        client = BasicMCPClient(command, args=arguments, env=given["environment"], timeout=120)
    tools = await McpToolSpec(client=client).to_tool_list_async()
    model = OpenAILike(
        model="played", api_base=given["model"], api_key="none", is_chat_model=True, is_function_calling_model=True
    )
    answer = await FunctionAgent(tools=tools, llm=model, streaming=False).run(given["question"])
    return {"tools": [tool.metadata.name for tool in tools], "answer": str(answer)}


sys.stdout.write(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
