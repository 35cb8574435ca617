"""Whatever a client sends is answered by an error that says what was wrong, or by a result, and the server lives on."""

import json
import sys

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from khub.components.catalog.catalog import open_catalog
from khub.server.mcp import links
from khub.server.mcp.links import address
from tests.server.mcp.conftest import GUIDE, MANUAL

pytestmark = pytest.mark.integration

ASK = "query_knowledge_hub"
TOO_DEEP = {"operator": "NOT", "conditions": [{"field": "meta.x", "operator": "==", "value": 1}]}
for _ in range(20):
    TOO_DEEP = {"operator": "NOT", "conditions": [TOO_DEEP]}


@pytest.fixture
def ask(hub, with_client, tmp_path):
    """A function: make calls `(tool, arguments)`, return the results; the server answers after each of them."""
    (tmp_path / "files").mkdir()
    (tmp_path / "secret.md").write_text("# Secret\n", encoding="utf-8")
    if sys.platform != "win32":
        (tmp_path / "files" / "link.md").symlink_to(tmp_path / "secret.md")
        (tmp_path / "files" / "way_out").symlink_to(tmp_path)

    def run(*calls):
        results = []

        async def test(client):
            for name, arguments in calls:
                with anyio.fail_after(30):
                    results.append(await client.call_tool(name, arguments))
                    assert (await client.list_tools()).tools

        with_client(test, allow_write=True, roots=(tmp_path / "files",))
        return results

    return run


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        *((ASK, {"query": "robot", "top_k": k}, "top_k") for k in (0, -1, 10_000, 2**70, 1.5, "many", [2])),
        *((ASK, {"query": "robot", "filters": f}, "filter") for f in (
            {"operator": "AND"}, {"field": "meta.x"}, {"field": "meta.x", "operator": "==", "value": {}},
            {"field": "page", "operator": "==", "value": 2**80}, {"field": 'meta.a"b', "operator": "==", "value": 1},
            {"field": "access_level", "operator": "==", "value": "x"}, 5, "page", ["page"], TOO_DEEP,
        )),
        *((ASK, {"query": "robot", "graph": g}, "graph") for g in ("a\0b", "/etc/passwd", "x" * 300, 5)),
        *((ASK, {"query": "robot", "collection": c}, "collection") for c in ("\0", "../hub", "x" * 300, ["birds"])),
        (ASK, {"query": "robot", "detail": "all"}, "detail"),
        *((ASK, {"query": "robot", "mode": m}, "mode") for m in ("semantic", 5, ["keyword"], "KEYWORD")),
        (ASK, {"query": "中" * 1_000_000}, "at most 4000"),
        (ASK, {"query": ["seven"], "mode": "keyword"}, "query"),
        (ASK, {"query": "", "mode": "keyword"}, "query"),
        ("search_images", {}, "query"),
        ("describe", {"collection": "../hub"}, "existing collections"),
        ("describe", {"doc_id": "../../catalog.sqlite3"}, "there is no document"),
        ("get_document_summary", {"source": "../../../etc/passwd"}, "there is no document"),
        ("get_document_summary", {"sha256": "0" * 63}, "sha256"),
        ("describe", {"doc_id": "x", "depth": 7}, "depth"),
        ("read_section", {"doc_id": "x", "pages": "3-"}, "pages"),
        ("read_section", {"doc_id": "x", "chunk_id": "y", "neighbours": 21}, "neighbours"),
        ("get_page_image", {"doc_id": "x", "page": "one"}, "page"),
        ("verify_answer", {"answer": "x" * 20_001}, "at most 20000"),
        ("verify_answer", {"answer": "\0😀"}, "no claim"),
        ("ingest", {"paths": {"a": 1}}, "paths"),
        ("ingest", {"paths": []}, "paths"),
        ("ingest", {"paths": ["."], "graph": "ingst"}, "did you mean 'ingest'?"),
        *(("ingest", {"paths": [p]}, "path") for p in ("../secret.md", "/etc/passwd", "a\0b", "", "no such file", 5)),
        ("ingest", {"paths": ["."], "collection": "a\nb"}, "collection"),
        ("job_status", {"job_id": "../../catalog"}, "job_id"),
        ("delete_document", {"doc_id": "../../catalog"}, "there is no document"),
    ],
)  # fmt: skip
def test_mistake_is_told_to_the_model(ask, name, arguments, named):
    [result] = ask((name, arguments))
    assert result.is_error
    assert named in result.content[0].text
    assert len(result.content[0].text) < 2000


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")
@pytest.mark.parametrize("path", ["link.md", "way_out", "way_out/secret.md"])
def test_links_lead_nowhere(ask, path):
    [result] = ask(("ingest", {"paths": [path]}))
    assert result.content[0].text.endswith("[source_not_allowed]")


@pytest.mark.parametrize(
    "query",
    ["😀🎉👍🏽", "\x07\x1b[31m", "\0", " \n\t", "\u202e\ufeff", "AND OR NOT", '"(', "*", "field:x -",
     "page:9999999999999999", "'; DROP TABLE chunks;--", "中" * 4000],
)  # fmt: skip
def test_odd_questions_are_answered_or_refused(ask, query):
    asked = {"query": query, "collection": "default"}
    ways = [(ASK, {**asked, "mode": mode}) for mode in ("both", "keyword", "meaning")]
    for result in ask(*ways, ("search_images", asked)):
        text = result.content[0].text
        assert "Traceback" not in text
        assert "\x1b" not in text
        if not query.strip('\0 \n\t\u202e\ufeff*()"'):
            assert "query" in text  # there is nothing to look for


def test_empty_filter_and_a_number_in_quotes_are_what_they_mean(ask):
    found, listed, two = ask(
        (ASK, {"query": "robot", "collection": "default", "filters": {}}),
        ("describe", {"collection": "default", "filters": {}}),
        (ASK, {"query": "robot", "collection": "default", "top_k": "2"}),
    )
    assert found.structured_content["citations"]
    assert listed.structured_content["total"] == 3
    assert len(two.structured_content["citations"]) == 2


@pytest.mark.parametrize("cursor", ["zzz", "bm90IG9uZQ==", "W10=", "💥"])
def test_unknown_cursor_is_a_protocol_error(hub, with_client, cursor):
    manual = open_catalog().documents.find("default", MANUAL.name)["doc_id"]

    async def test(client):
        for name, more in (
            ("describe", {"collection": "default"}),
            ("describe", {"doc_id": manual}),
        ):
            with pytest.raises(MCPError) as error:
                await client.call_tool(name, {**more, "cursor": cursor})
            assert error.value.error.code == -32602
        assert (await client.list_tools()).tools

    with_client(test)


def test_picture_of_another_collection_is_not_under_this_document(hub, with_client):
    image = open_catalog().images.of_document(open_catalog().documents.find("default", GUIDE.name)["doc_id"])[0]
    heron = open_catalog().documents.find("birds", "herons.md")["doc_id"]

    async def test(client):
        with pytest.raises(MCPError) as error:
            await client.read_resource(address(links.IMAGE_OF_DOCUMENT, id=heron, image=image["image_id"]))
        assert (error.value.error.code, "there is no picture" in error.value.error.message) == (-32602, True)
        found = await client.call_tool("search_images", {"query": "bi-encoder cross-encoder", "collection": "birds"})
        assert found.structured_content["images"] == []
        assert (await client.read_resource(address(links.IMAGE, id=image["image_id"]))).contents

    with_client(test)


def test_what_the_tools_return_fits_one_line(ask):
    """JSON lines are separated by line feeds alone, and a document may hold any other separator."""
    [result] = ask((ASK, {"query": "robot\u2028emergency stop", "collection": "default"}))
    assert "\n" not in json.dumps(result.structured_content)
