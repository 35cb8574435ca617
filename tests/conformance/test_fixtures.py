import anyio
import pytest
from mcp.client import Client

from tests.conformance.node_tools import NoNpmError, node_command
from tests.conformance.server import fixture_server

pytestmark = pytest.mark.unit


def test_the_fixtures_stand_beside_the_products_own(monkeypatch):
    async def listed():
        async with Client(fixture_server()) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
            said = await client.call_tool("test_simple_text", {})
            return tools, prompts, said.content[0].text

    tools, prompts, said = anyio.run(listed)
    assert {"query_knowledge_hub", "test_simple_text", "test_input_required_result_multi_round"} <= tools
    assert {"answer_with_citations", "test_input_required_result_prompt"} <= prompts
    assert said == "This is a simple text response for testing."


def test_without_npm_the_reason_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("KHUB_CONFORMANCE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoNpmError, match=r"there is no npm: install Node\.js"):
        node_command("@scope/package", "1.0.0", "index.js")


def test_what_is_installed_is_not_installed_again(monkeypatch, tmp_path):
    monkeypatch.setenv("KHUB_CONFORMANCE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    modules = tmp_path / "package-1.0.0" / "node_modules"
    for name in ("node/bin/node", "node/bin/node.exe", "@scope/package/index.js"):
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).touch()
    assert node_command("@scope/package", "1.0.0", "index.js")[1] == str(modules / "@scope/package/index.js")
