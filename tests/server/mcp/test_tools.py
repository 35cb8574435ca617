"""What the server says of its tools."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from khub.server.mcp.budget import text_tokens
from khub.server.mcp.server import ORDER

pytestmark = pytest.mark.integration

WRITING = ("ingest", "remember", "job_status", "delete_document")


def listed(with_client, **options):
    found = []

    async def test(client):
        found.extend((await client.list_tools()).tools)

    with_client(test, **options)
    return found


def test_tools_are_listed_in_a_fixed_order_and_writing_ones_only_when_allowed(with_client):
    assert [tool.name for tool in listed(with_client)] == [name for name in ORDER if name not in WRITING]
    assert [tool.name for tool in listed(with_client, allow_write=True)] == list(ORDER)


def test_every_tool_is_titled_described_closed_and_annotated(with_client):
    for tool in listed(with_client, allow_write=True):
        assert tool.title, tool.name
        assert " not " in tool.description.lower() or "only when" in tool.description, f"{tool.name}: when not?"
        assert "use" in tool.description.lower() or "ask" in tool.description.lower(), f"{tool.name}: when?"
        assert tool.output_schema["type"] == "object", tool.name
        hints = tool.annotations
        assert hints.open_world_hint is False
        assert hints.read_only_hint is (tool.name not in ("ingest", "remember", "delete_document"))
        assert hints.destructive_hint is (tool.name in ("remember", "delete_document"))
        assert hints.idempotent_hint is True


def test_arguments_tell_their_bounds_and_defaults(with_client):
    properties = {tool.name: tool.input_schema["properties"] for tool in listed(with_client)}
    top_k = properties["query_knowledge_hub"]["top_k"]
    assert (top_k["minimum"], top_k["maximum"]) == (1, 100)
    assert "5 if left out" in top_k["description"]
    assert properties["query_knowledge_hub"]["detail"]["enum"] == ["concise", "full"]
    assert properties["query_knowledge_hub"]["mode"]["enum"] == ["both", "keyword", "meaning"]
    assert properties["describe"]["depth"]["maximum"] == 6


def test_results_are_told_by_the_values_that_they_hold(with_client):
    schemas = {tool.name: tool.output_schema for tool in listed(with_client)}
    answer, found = schemas["query_knowledge_hub"], schemas["verify_answer"]
    cited = answer["$defs"]["CitedPassage"]
    assert cited["properties"]["chunk_id"] == {"type": "string"}
    assert (answer["required"], cited["required"]) == (["abstained", "confidence"], ["id", "chunk_id"])
    assert found["$defs"]["JudgedClaim"]["properties"]["verdict"]["enum"] == ["agrees", "differs", "not_found"]


def test_what_a_model_reads_of_the_reading_tools_takes_little_room(with_client):
    read = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        for tool in listed(with_client)
    ]
    assert sum(text_tokens(json.dumps(one)) for one in read) <= 1800


def test_the_lists_take_little_room(with_client):
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed(with_client)]
    assert len(json.dumps(tools)) < 24_000


def test_building_the_server_loads_nothing_that_is_slow():
    code = (
        "import sys; from khub.server.mcp.options import ServerOptions; "
        "from khub.server.mcp.server import build_server; "
        "build_server(ServerOptions(allow_write=True)); "
        "print([m for m in ('haystack', 'chromadb', 'numpy', 'tantivy', 'PIL', 'pypdfium2', 'openai', 'portalocker') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"


def test_lists_may_be_kept_but_not_shared(with_client):
    async def test(client):
        for result in (await client.list_tools(), await client.list_prompts(), await client.list_resource_templates()):
            assert result.ttl_ms == 3_600_000
            assert result.cache_scope == "private"

    with_client(test)


def test_server_introduces_itself(with_client, era):
    async def test(client):
        assert (client.server_info.name, client.server_info.version) == ("knowledge-hub", version("knowledge-hub"))
        assert "query_knowledge_hub first" in client.instructions

    with_client(test, mode=era)


OPENAI_STRICT = {"type", "description", "enum", "items", "properties", "required", "minimum", "maximum"}
"""What strict mode takes; the client's SDK closes each object and requires all of its properties."""
GEMINI = {*OPENAI_STRICT, "nullable", "format", "minItems", "maxItems"}


@pytest.mark.parametrize("known", [OPENAI_STRICT, GEMINI])
def test_schemas_hold_nothing_that_some_client_refuses(with_client, known):
    def check(schema):
        assert set(schema) <= known, schema
        assert schema["type"] in ("object", "string", "integer", "array"), schema
        assert (schema["type"] == "array") == ("items" in schema), schema
        for one in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
            check(one)

    for tool in listed(with_client, allow_write=True):
        check(tool.input_schema)
        assert tool.input_schema["properties"], "an object without properties is refused, or taken for an open one"
        assert set(tool.input_schema.get("required", ())) <= set(tool.input_schema["properties"])
