"""Agents of other people ask the hub through MCP until they have an answer."""

import json
import sys

import pytest

from tests.clients.conftest import ANSWER, QUESTION, TITLE, TOKEN

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]  # the first of a family installs it

CLIENTS = {
    "langchain": "agent_langchain.py",
    "llama_index": "agent_llama_index.py",
    "openai_agents": "agent_openai_agents.py",
    "fastmcp": "agent_fastmcp.py",
    "mcp1": "agent_mcp.py",
    "mcp2": "agent_mcp.py",
}
READING = {"query_knowledge_hub", "read_section", "get_page_image", "describe", "verify_answer"}


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("family", CLIENTS)
def test_an_agent_reaches_its_answer(run_client, played, hub_environment, request, family, transport):
    if transport == "http":
        way = {"url": f"{request.getfixturevalue('service')}/mcp", "token": TOKEN}
    else:
        way = {"command": [sys.executable, "-m", "khub.server.cli", "mcp"], "environment": hub_environment}
    strict = transport == "http"
    said = run_client(family, CLIENTS[family], model=played.url, question=QUESTION, strict=strict, **way)
    assert set(said["tools"]) >= READING
    assert said["answer"] == ANSWER
    results = [message for message in played.requests[-1]["messages"] if message["role"] == "tool"]
    results.sort(key=lambda message: message["tool_call_id"])  # some call the tools at the same time
    answered, read, shown, listed = (json.dumps(message["content"]) for message in results)
    assert "5.1 Reading the error memory" in answered
    assert "E-1003" in read
    assert "page 4" in shown
    assert ("image" in shown) is (family != "openai_agents")  # chat completions have no picture in a tool's result
    assert "ember-300-operator-manual-en.pdf" in listed
    if family == "fastmcp":
        assert said["title"] == TITLE


def test_strict_schemas_hold_for_every_tool(run_client, played, service):
    """The Agents SDK falls back to a loose schema where it cannot close one; none of the hub's is such."""
    way = {"url": f"{service}/mcp", "token": TOKEN}
    run_client("openai_agents", CLIENTS["openai_agents"], model=played.url, question=QUESTION, strict=True, **way)
    functions = [tool["function"] for tool in played.requests[0]["tools"]]
    assert len(functions) >= len(READING)
    for function in functions:
        assert function["parameters"]["additionalProperties"] is False
        assert function.get("strict") is True, function["name"]
