"""`search` and `fetch` as OpenAI's documentation of MCP servers for ChatGPT describes them."""

import json

import pytest

from khub.components.text.inert_markdown import inert
from khub.server.library.ingest import ingest
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server
from tests.conftest import convert_here

pytestmark = pytest.mark.integration


def told(result):
    """Return the data of a result, which is its only text as well."""
    assert not result.is_error, result.content
    (text,) = result.content
    assert text.type == "text"
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


def test_search_lists_documents_that_fetch_returns(call, manual):
    found = told(call("search", query="How warm may the room be in which the Ember 300 stands?"))["results"]
    assert [sorted(one) for one in found] == [["id", "title", "url"]] * len(found)
    assert len({one["id"] for one in found}) == len(found)
    assert found[0]["id"] == manual
    document = told(call("fetch", id=found[0]["id"]))
    assert sorted(document) == ["id", "metadata", "text", "title", "url"]
    assert {key: document[key] for key in ("id", "title", "url")} == found[0]
    assert "°C" in document["text"]
    assert document["metadata"]["pages"] == 5
    assert "next_id" not in document["metadata"]


def test_all_collections_are_searched_and_nothing_where_nothing_answers(call):
    (lone,) = told(call("search", query="How do herons wade?"))["results"]
    assert told(call("fetch", id=lone["id"]))["metadata"]["collection"] == "birds"
    assert told(call("search", query="What is the capital of Mongolia called?"))["results"] == []


def test_tools_take_what_the_contract_says(with_client):
    async def test(client):
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        for name, argument in (("search", "query"), ("fetch", "id")):
            assert list(tools[name]["properties"]) == tools[name]["required"] == [argument]
            assert tools[name]["properties"][argument]["type"] == "string"

    with_client(test)


def test_a_long_document_comes_in_parts_and_a_hit_names_its_own(call, manual, monkeypatch):
    whole = told(call("fetch", id=manual))["text"]
    monkeypatch.setattr("khub.server.mcp.fetched_text.ROOM_TOKENS", 400)
    part, texts = manual, []
    while part is not None:
        document = told(call("fetch", id=part))
        texts.append(document["text"])
        part = document["metadata"].get("next_id")
    assert len(texts) > 2
    assert all(line in "\n".join(texts) for line in whole.splitlines())
    hit = told(call("search", query="What does error E-4012 mean?"))["results"][0]["id"]
    assert hit.startswith(f"{manual}#")
    assert "Laser scanner window blocked" in told(call("fetch", id=hit))["text"]


def test_ids_that_name_nothing_are_refused(call, manual):
    for wrong in ("0" * 32, f"{manual}#999999", "../../etc/passwd", "khub://doc/x"):
        assert call("fetch", id=wrong).is_error


def test_what_is_no_id_is_told_in_words(call, manual):
    for wrong in ("manual.pdf", "", "x" * 3000, f"{manual}#", f"{manual}#1#2"):
        result = call("fetch", id=wrong)
        (said,) = (one.text for one in result.content)
        assert result.is_error
        assert said.endswith("[document_unknown]")
        assert "call search, and give the id of one of its results" in said
        assert repr(wrong[:100]) in said
        assert "[0-9a-f]" not in said
        assert len(said) < 400


def test_addresses_are_those_of_the_origin_as_it_was_given_and_never_a_files_own(tmp_path, monkeypatch, with_client):
    convert_here(monkeypatch)
    given, own = tmp_path / "given.md", tmp_path / "own.md"
    given.write_text("# Quills\n\nA quill is cut from a feather of a goose.\n", encoding="utf-8")
    own.write_text("---\nurl: https://evil.example/\n---\n# Nibs\n\nA nib is made of steel.\n", encoding="utf-8")
    address = {"url": "https://user:secret@wiki.example/quills?token=1"}
    assert not ingest([str(given)], meta=address).failed
    assert not ingest([str(own)]).failed

    async def test(client):
        for query, url in (("What is a quill cut from?", "https://wiki.example/quills"), ("steel nib", None)):
            result = told(await client.call_tool("search", {"query": query}))["results"][0]
            assert url in (None, result["url"])
            assert url is not None or result["url"] == f"khub://doc/{result['id']}"
            assert told(await client.call_tool("fetch", {"id": result["id"]}))["url"] == result["url"]

    with_client(test)


def test_what_a_document_says_of_itself_is_no_word_of_the_hub(tmp_path, monkeypatch, with_client):
    """It names no part that follows, opens no door and draws nothing."""
    convert_here(monkeypatch)
    lure = "![x](https://evil.example/?leak)"
    head = {
        "next_id": "0" * 32,
        "url": "https://bob:s3cret@wiki.example/quills?token=abc",
        "topics": [lure],
        "project": lure,
    }
    note = tmp_path / "quills.md"
    note.write_text(f"---\n{json.dumps(head)}\n---\n# Quills\n\nA quill is cut from a feather.\n", encoding="utf-8")
    assert not ingest([str(note)]).failed

    async def test(client):
        (found,) = told(await client.call_tool("search", {"query": "What is a quill cut from?"}))["results"]
        metadata = told(await client.call_tool("fetch", {"id": found["id"]}))["metadata"]
        assert "next_id" not in metadata
        assert metadata["url"] == "https://wiki.example/quills"
        assert metadata["project"] == inert(lure) != lure
        assert metadata["topics"] in (inert(lure), [inert(lure)])

    with_client(test)


@pytest.mark.unit
def test_the_tools_are_there_for_who_may_only_read():
    tools = {tool.name: tool for tool in build_server(ServerOptions())._tool_manager.list_tools()}
    assert all(tools[name].annotations.read_only_hint for name in ("search", "fetch"))
