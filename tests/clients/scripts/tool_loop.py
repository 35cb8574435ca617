"""The loop of an agent, for clients that bring none: ask the model, call its tools, until it answers."""

import json
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

Called = Callable[[str, dict[str, Any]], Awaitable[list[dict[str, Any]]]]


async def answered(model: str, question: str, tools: list[dict[str, Any]], call: Called) -> str:
    """Return the model's answer.

    :param model: address of its API.
    :param tools: as MCP lists them.
    :param call: calls a tool, and returns the contents of its result.
    """
    functions = [
        {"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]} for tool in tools
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        wanted = [{"type": "function", "function": one} for one in functions]
        message = _asked(model, {"model": "played", "messages": messages, "tools": wanted})
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        for one in message["tool_calls"]:
            contents = await call(one["function"]["name"], json.loads(one["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": one["id"], "content": contents})


def _asked(model: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{model}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return dict(json.load(reply)["choices"][0]["message"])
