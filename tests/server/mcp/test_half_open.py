"""Documents of which `KHUB_ACCESS` opens some passages only: nothing of the others comes out, by no tool or address.

Of the manual page 4 is open, one passage of page 3, and nothing else; of the guide one passage, with the first of its
two figures; of the note, and of the collection `birds`, nothing.
"""

import shutil
from types import SimpleNamespace

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from khub.components.catalog.catalog import open_catalog
from khub.server.mcp import links
from khub.server.mcp.links import address
from tests.server.mcp.conftest import GUIDE, MANUAL

pytestmark = pytest.mark.integration

CLOSED = (
    "Maintenance", "damp cloth", "Protective fields", "two-hour operator course", "Light ring",  # of the manual
    "Scoring sheet", "by reranking depth", "hard negatives", "0.62 may be excellent",  # of the guide
    "差旅", "酒店", "heron", "bird",
)  # fmt: skip
"""Words of what is closed, of the summaries of both documents, and of the second figure."""


@pytest.fixture
def ids(filled_hub, monkeypatch, tmp_path):
    """A copy of the shared hub, opened so; ids of what is in it."""
    home = tmp_path / "hub"
    shutil.copytree(filled_hub, home)
    monkeypatch.setenv("KHUB_HOME", str(home))
    monkeypatch.setenv("KHUB_PIPELINES", str(MANUAL.parents[2] / "pipelines"))
    catalog = open_catalog()
    manual, guide, note = (
        catalog.documents.find("default", name)["doc_id"] for name in (MANUAL.name, GUIDE.name, "差旅 预算.md")
    )
    heron = catalog.documents.find("birds", "herons.md")["doc_id"]
    pages = {page: [c for c in catalog.documents.chunks(manual) if c["page"] == page] for page in range(1, 6)}
    figures = [image["image_id"] for image in catalog.images.of_document(guide)]
    held = [c for c in catalog.documents.chunks(guide) if figures[0] in c["content"]]
    opened = [c["chunk_id"] for c in (*pages[4], pages[3][0], *held)]
    with catalog.database.transaction() as connection:
        connection.executemany(
            "UPDATE chunks SET meta = json_set(meta, '$.access_level', 'public') WHERE chunk_id = ?",
            [(chunk_id,) for chunk_id in opened],
        )
    monkeypatch.setenv("KHUB_ACCESS", "public")
    return SimpleNamespace(
        manual=manual, guide=guide, note=note, heron=heron, figures=figures, on_page_4=pages[4][0]["chunk_id"],
        on_page_3=pages[3][0]["chunk_id"], closed=pages[5][0]["chunk_id"], opened=len(pages[4]) + 1,
    )  # fmt: skip


@pytest.fixture
def ask(ids, with_client):
    """A function: call a tool, return its result; none holds a word of what is closed."""

    def run(name, /, **arguments):
        results = []

        async def test(client):
            results.append(await client.call_tool(name, arguments))

        with_client(test)
        said = results[0].model_dump_json()
        for given in arguments.values():
            said = said.replace(str(given), "")  # an error may say what was asked for
        assert [word for word in CLOSED if word.lower() in said.lower()] == []
        return results[0]

    return run


@pytest.fixture
def read(ids, with_client):
    """A function: read an address, return its text or picture; None where it is refused as one that is not there."""

    def run(template, **values):
        found = []

        async def test(client):
            try:
                [content] = (await client.read_resource(address(template, **values))).contents
                found.append(getattr(content, "text", None) or content.blob)
            except MCPError as error:
                found.append(None if error.error.code == -32602 else f"error {error.error.code}")

        with_client(test)
        assert [word for word in CLOSED if word.lower() in (found[0] or "").lower()] == []
        return found[0]

    return run


def test_collections_and_documents_count_only_what_is_open(ask, ids):
    [row] = ask("list_collections").structured_content["collections"]
    assert (row["name"], row["documents"], row["chunks"]) == ("default", 2, ids.opened + 1)
    assert row["description"] == "docx, pdf"  # the tags were made of the whole text
    data = ask("describe", collection="default").structured_content
    found = {document["doc_id"]: (document["chunks"], document["pages"]) for document in data["documents"]}
    assert (data["total"], found) == (2, {ids.manual: (ids.opened, 4), ids.guide: (1, None)})


def test_summary_and_outline_are_those_of_the_open_passages(ask, ids):
    data = ask("get_document_summary", doc_id=ids.manual).structured_content
    assert (data["chunks"], data["pages"], data["summary"], data["tags"]) == (ids.opened, 4, "", [])
    assert "dates" not in data["metadata"]
    assert ask("get_document_summary", doc_id=ids.guide).structured_content["images"] == 1
    sections = ask("describe", doc_id=ids.manual).structured_content["sections"]
    assert {section["path"].split(" > ")[-1][0] for section in sections} == {"E", "4", "5"}
    assert sections[0]["chunks"] == ids.opened


def test_parts_hold_the_open_passages_alone(ask, ids):
    whole = ask("read_section", doc_id=ids.manual, section="").structured_content
    assert len(whole["passages"]) == ids.opened
    around = ask("read_section", doc_id=ids.manual, chunk_id=ids.on_page_4, neighbours=20).structured_content
    assert len(around["passages"]) == ids.opened
    assert [
        p["chunk_id"] for p in ask("read_section", doc_id=ids.manual, pages="3").structured_content["passages"]
    ] == [ids.on_page_3]
    for part in (
        {"chunk_id": ids.closed},
        {"chunk_id": ids.closed[:8]},
        {"pages": "5"},
        {"section": "Ember 300 Operator Manual > 3 Safety"},
    ):
        assert ask("read_section", doc_id=ids.manual, **part).is_error


def test_page_is_drawn_only_if_all_of_it_is_open(ask, ids):
    drawn = ask("get_page_image", doc_id=ids.manual, page=4, highlight=ids.on_page_4)
    assert (drawn.structured_content["drawn"], drawn.structured_content["marked"]) == (True, 1)
    mixed = ask("get_page_image", doc_id=ids.manual, page=3, highlight=ids.on_page_3)
    assert "read it with read_section" in mixed.content[0].text
    for page in (1, 3, 5):
        result = ask("get_page_image", doc_id=ids.manual, page=page)
        assert result.is_error
        assert not [block for block in result.content if block.type == "image"]
    assert "it has 4 pages" in ask("get_page_image", doc_id=ids.manual, page=5).content[0].text
    assert ask("get_page_image", doc_id=ids.manual, page=4, highlight=ids.closed).is_error


def test_pictures_of_open_passages_alone_are_found(ask, ids):
    images = ask("search_images", query="cross-encoder reranking figure", top_k=20).structured_content["images"]
    assert [image["image_id"] for image in images] == [ids.figures[0]]


def test_questions_find_open_passages_alone(ask, ids):
    for mode in ("both", "keyword", "meaning"):
        for query in ("maintenance schedule cleaning", "error memory", "hard negatives reranking"):
            ask("query_knowledge_hub", query=query, mode=mode, top_k=20)
            asked = ask("query_knowledge_hub", query=query, mode=mode, top_k=20, detail="full")
            data = asked.structured_content
            assert {citation["doc_id"] for citation in data["citations"]} <= {ids.manual, ids.guide}
    assert ask("verify_answer", answer="The display shows a letter and four digits.").structured_content["claims"]


def test_what_is_closed_is_refused_as_what_is_not_there(ids, ask):
    def refusal(name, key, value, **others):
        result = ask(name, **{key: value}, **others)
        assert result.is_error
        return result.content[0].text.replace(value, "")

    unknown = "0" * 32
    for doc_id in (ids.note, ids.heron):
        for name in ("get_document_summary", "describe"):
            assert refusal(name, "doc_id", doc_id) == refusal(name, "doc_id", unknown)
        others = {"read_section": {"section": ""}, "get_page_image": {"page": 1}}
        for name, more in others.items():
            assert refusal(name, "doc_id", doc_id, **more) == refusal(name, "doc_id", unknown, **more)
    for name, more in {
        "describe": {},
        "query_knowledge_hub": {"query": "x"},
        "search_images": {"query": "x"},
        "verify_answer": {"answer": "It is so."},
    }.items():
        assert refusal(name, "collection", "birds", **more) == refusal(name, "collection", "fishy", **more)
    assert ask("get_document_summary", source="herons.md").is_error


def test_addresses(read, ids):
    assert "| default |" in read(links.COLLECTIONS)
    assert ids.guide in read(links.DOCUMENTS, collection="default")
    assert f"{ids.opened} of" in read(links.DOCUMENT, id=ids.manual)
    assert "E-1003" in read(links.SECTION, id=ids.manual, path="Ember 300 Operator Manual > 5 Error codes")
    assert "E-1003" in read(links.PAGE, id=ids.manual, n=4)
    assert read(links.IMAGE, id=ids.figures[0]) == read(links.IMAGE_OF_DOCUMENT, id=ids.guide, image=ids.figures[0])
    assert "Before the shift" in read(links.CHUNK, id=ids.on_page_3)
    for page in (1, 3, 5):
        assert read(links.PAGE, id=ids.manual, n=page) is None
    assert read(links.DOCUMENTS, collection="birds") is None
    assert read(links.DOCUMENT, id=ids.note) is None
    assert read(links.SECTION, id=ids.manual, path="Ember 300 Operator Manual > 3 Safety") is None
    assert read(links.IMAGE, id=ids.figures[1]) is None
    assert read(links.IMAGE_OF_DOCUMENT, id=ids.guide, image=ids.figures[1]) is None
    assert read(links.CHUNK, id=ids.closed) is None


def test_lists_and_completions(ids, with_client):
    async def test(client):
        async def values(template, name, **known):
            reference = ResourceTemplateReference(type="ref/resource", uri=template)
            result = await client.complete(reference, {"name": name, "value": ""}, context_arguments=known or None)
            return result.completion.values

        resources = (await client.list_resources()).resources
        assert {resource.uri for resource in resources if resource.uri.startswith("khub://doc/")} == {
            address(links.DOCUMENT, id=doc_id) for doc_id in (ids.manual, ids.guide)
        }
        assert not [r for r in resources if "birds" in f"{r.uri} {r.name} {r.title}"]
        assert await values(links.DOCUMENTS, "collection") == ["default"]
        assert set(await values(links.DOCUMENT, "id")) == {ids.manual, ids.guide}
        assert await values(links.PAGE, "n", id=ids.manual) == ["4"]
        assert await values(links.IMAGE_OF_DOCUMENT, "image", id=ids.guide) == [ids.figures[0]]
        assert await values(links.PAGE, "n", id=ids.note) == []

    with_client(test)


def test_what_is_wholly_open_is_shown_whole(ids, ask, monkeypatch):
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE chunks SET meta = json_set(meta, '$.access_level', 'staff')")
    monkeypatch.setenv("KHUB_ACCESS", "staff")
    monkeypatch.setitem(globals(), "CLOSED", ())
    data = ask("get_document_summary", doc_id=ids.manual).structured_content
    assert data["pages"] == 5
    assert data["summary"]
    assert ask("get_page_image", doc_id=ids.manual, page=5).structured_content["drawn"]
    assert len(ask("list_collections").structured_content["collections"]) == 2
    assert len(ask("search_images", query="cross-encoder reranking figure").structured_content["images"]) == 2
