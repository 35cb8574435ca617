"""Addresses, completions and prompts of the MCP server."""

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from khub.server.mcp import links
from khub.server.mcp.links import address
from tests.server.mcp.conftest import GUIDE, MANUAL

pytestmark = pytest.mark.integration


@pytest.fixture
def ids(hub):
    from khub.components.catalog.catalog import open_catalog

    documents = open_catalog().documents
    manual, guide, note = (
        documents.find("default", name)["doc_id"] for name in (MANUAL.name, GUIDE.name, "差旅 预算.md")
    )
    chunk = documents.chunks(manual)[0]["chunk_id"]
    image = open_catalog().images.of_document(guide)[0]["image_id"]
    return {"manual": manual, "guide": guide, "note": note, "chunk": chunk, "image": image}


def test_collections_and_documents_are_listed_page_by_page(hub, with_client, monkeypatch, era):
    monkeypatch.setattr("khub.server.mcp.hub_server.PAGE_SIZE", 4)

    async def test(client):
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        uris = [resource.uri for resource in first.resources + second.resources]
        assert len(first.resources) == 4
        assert second.next_cursor is None
        assert uris[0] == "khub://collections"
        assert "khub://default/documents" in uris
        assert sum(uri.startswith("khub://doc/") for uri in uris) == 4

    with_client(test, mode=era)


@pytest.mark.parametrize("method", ["list_tools", "list_prompts", "list_resources", "list_resource_templates"])
def test_unknown_cursor_is_refused(hub, with_client, method, era):
    async def test(client):
        with pytest.raises(MCPError) as error:
            await getattr(client, method)(cursor="bm90IG9uZQ==")
        assert error.value.error.code == -32602

    with_client(test, mode=era)


def test_everything_linked_can_be_read(hub, with_client, ids, era):
    async def test(client):
        async def read(template, **values):
            [content] = (await client.read_resource(address(template, **values))).contents
            return content

        assert "| birds |" in (await read(links.COLLECTIONS)).text
        assert "Ember 300 Operator Manual" in (await read(links.DOCUMENTS, collection="default")).text
        assert "5 Error codes" in (await read(links.DOCUMENT, id=ids["manual"])).text
        assert "E-1003" in (await read(links.PAGE, id=ids["manual"], n=4)).text
        assert "机票" in (await read(links.SECTION, id=ids["note"], path="差旅/预算")).text
        assert (await read(links.CHUNK, id=ids["chunk"])).mime_type == "text/markdown"
        for image in (
            await read(links.IMAGE, id=ids["image"]),
            await read(links.IMAGE_OF_DOCUMENT, id=ids["guide"], image=ids["image"]),
        ):
            assert image.mime_type == "image/png"
            assert image.blob.startswith("iVBOR")

    with_client(test, mode=era)


@pytest.mark.parametrize(
    "uri",
    [
        "khub://nope", "khub://nope/documents", "khub://doc/nope", "khub://doc/{manual}/page/99",
        "khub://doc/{manual}/page/x", "khub://doc/{manual}/section/nope", "khub://chunk/nope", "khub://image/nope",
        "khub://doc/{manual}/image/{image}",  # it belongs to another document
        "khub://doc/..%2F..%2Fetc%2Fpasswd", "khub://doc/%2Fetc%2Fpasswd", "khub://image/..%2F..%2Fcatalog.sqlite3",
        "khub://../documents", "khub://doc/a%00b", "file:///etc/passwd", "not a uri",
    ],
)  # fmt: skip
def test_what_is_not_there_is_an_invalid_parameter(hub, with_client, ids, uri):
    async def test(client):
        with pytest.raises(MCPError) as error:
            await client.read_resource(uri.format(**ids) if "{" in uri else uri)
        assert error.value.error.code == -32602
        assert (await client.list_tools()).tools

    with_client(test)


def test_completions(hub, with_client, ids, era):
    async def test(client):
        async def values(template, name, typed, **known):
            reference = ResourceTemplateReference(type="ref/resource", uri=template)
            result = await client.complete(reference, {"name": name, "value": typed}, context_arguments=known or None)
            return result.completion.values

        assert await values(links.DOCUMENTS, "collection", "bir") == ["birds"]
        assert await values(links.DOCUMENT, "id", "ember") == [ids["manual"]]
        assert await values(links.DOCUMENT, "id", ids["note"][:6]) == [ids["note"]]
        sections = await values(links.SECTION, "path", "reading", id=ids["manual"])
        assert [section.split(" > ")[-1] for section in sections] == ["5.1 Reading the error memory"]
        assert await values(links.PAGE, "n", "", id=ids["manual"]) == ["1", "2", "3", "4", "5"]
        assert await values(links.PAGE, "n", "", id="nope") == []
        assert await values(links.IMAGE_OF_DOCUMENT, "image", "", id=ids["guide"])
        prompt = PromptReference(type="ref/prompt", name="compare_documents")
        found = await client.complete(prompt, {"name": "first_document", "value": "ember"})
        assert found.completion.values == [ids["manual"]]

    with_client(test, mode=era)


def test_prompts_in_two_languages(with_client, era):
    async def test(client):
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert [name for name in prompts if not name.endswith("_zh")] == [
            "answer_with_citations", "compare_documents", "summarise_document", "check_an_answer",
        ]  # fmt: skip
        assert prompts["check_an_answer_zh"].title == "核对回答"
        for name, prompt in prompts.items():
            given = {argument.name: "XYZ" for argument in prompt.arguments}
            [message] = (await client.get_prompt(name, given)).messages
            assert message.content.text.count("XYZ") == len(given)
            chinese = sum("\u4e00" <= c <= "\u9fff" for c in message.content.text)
            assert (chinese > 50) is name.endswith("_zh")

    with_client(test, mode=era)


@pytest.mark.parametrize(("name", "arguments"), [("nope", {}), ("answer_with_citations", {})])
def test_unknown_prompt_and_missing_argument(with_client, era, name, arguments):
    async def test(client):
        with pytest.raises(MCPError) as error:
            await client.get_prompt(name, arguments)
        assert error.value.error.code == -32602

    with_client(test, mode=era)


def test_unknown_tool(with_client, era):
    async def test(client):
        with pytest.raises(MCPError) as error:
            await client.call_tool("nope", {})
        assert error.value.error.code == -32602

    with_client(test, mode=era)
