"""Documents as the MCP server shows them."""

import base64
import io
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from khub.components.answer import Citation
from khub.components.verification import JudgedClaim, Verification
from tests.server.mcp.conftest import MANUAL

pytestmark = pytest.mark.integration


@pytest.fixture
def note(hub) -> str:
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().documents.find("default", "差旅 预算.md")["doc_id"]


def test_collections(call):
    result = call("list_collections")
    rows = {row["name"]: row for row in result.structured_content["collections"]}
    assert list(rows) == ["birds", "default"]
    assert (rows["default"]["documents"], rows["birds"]["documents"]) == (3, 1)
    assert set(rows["default"]["languages"]) == {"en", "zh"}
    assert "pdf" in rows["default"]["description"]
    assert "query" in rows["default"]["graphs"]
    assert "| birds |" in result.content[0].text
    assert [row["name"] for row in call("list_collections", text="IRD").structured_content["collections"]] == ["birds"]


def test_documents_of_a_collection(call):
    by_type = {"field": "meta.doc_type", "operator": "==", "value": "pdf"}
    data = call("describe", collection="default", filters=by_type).structured_content
    assert (data["total"], data["next_cursor"]) == (1, None)
    assert data["documents"][0]["title"] == "Ember 300 Operator Manual"
    assert call("describe", collection="default").structured_content["total"] == 3


def test_documents_come_in_pages(call, monkeypatch):
    monkeypatch.setattr("khub.server.mcp.document_list.PAGE_SIZE", 2)
    first = call("describe", collection="default").structured_content
    second = call("describe", collection="default", cursor=first["next_cursor"]).structured_content
    assert (len(first["documents"]), len(second["documents"]), second["next_cursor"]) == (2, 1, None)
    assert len({row["doc_id"] for row in first["documents"] + second["documents"]}) == 3


def test_graphs_are_named_beside_the_collections_and_where_one_is_unknown(call):
    result = call("list_collections")
    graphs = result.structured_content["collections"][0]["graphs"]
    assert {"query", "more/query_llm"} <= set(graphs)
    assert all(f"`{name}`" in result.content[0].text for name in graphs)
    text = call("query_knowledge_hub", query="robot", graph="qeury").content[0].text
    assert "did you mean 'query'?" in text
    assert all(name in text for name in graphs)


@pytest.mark.parametrize("more", [{"text": "ember"}, {"filters": ["doc_type=pdf"]}])
def test_an_outline_is_not_filtered(call, manual, more):
    assert call("describe", doc_id=manual, depth=2, collection="default").structured_content["sections"]
    result = call("describe", doc_id=manual, **more)
    assert result.is_error
    assert "doc_id" in result.content[0].text


def test_summary_by_id_hash_and_name(call, manual):
    data = call("get_document_summary", doc_id=manual).structured_content
    assert (data["title"], data["pages"], data["collection"]) == ("Ember 300 Operator Manual", 5, "default")
    assert data["summary"]
    assert "robot" in data["tags"]
    assert data["average_chunk_characters"] > 100
    assert data["sections"][:2] == ["2 Specifications", "3 Safety"]
    from khub.server.library.source_record import source_record

    sha256 = source_record(str(MANUAL), "default")["sha256"]
    for name in ({"sha256": sha256}, {"source": str(MANUAL)}, {"source": MANUAL.name}):
        assert call("get_document_summary", **name).structured_content["doc_id"] == manual


@pytest.mark.parametrize("names", [{}, {"doc_id": "x", "source": "y"}, {"doc_id": "x"}, {"source": "y"}])
def test_summary_of_what_is_not_named_or_not_there(call, names):
    result = call("get_document_summary", **names)
    assert result.is_error
    assert "doc_id" in result.content[0].text or "describe" in result.content[0].text


@pytest.mark.parametrize("name", ["Ember 300 Operators Manual", "ember-300-operator-manual.pdf"])
def test_a_document_that_is_not_there_is_answered_with_the_nearest(call, name):
    for tool in ("get_document_summary", "describe", "read_section"):
        text = call(tool, doc_id=name).content[0].text
        assert "did you mean" in text
        assert "mber" in text.split("did you mean")[1]
        assert "describe" in text


def test_outline_and_its_depth(call, manual):
    deep = call("describe", doc_id=manual).structured_content
    flat = call("describe", doc_id=manual, depth=1).structured_content
    assert flat["total"] == 1
    assert flat["sections"][0]["chunks"] == sum(1 for _ in deep["sections"]) or flat["sections"][0]["chunks"] > 5
    paths = [section["path"].split(" > ")[-1] for section in deep["sections"]]
    assert "5.1 Reading the error memory" in paths
    assert paths.index("3 Safety") < paths.index("5 Error codes")


def test_outline_comes_in_pages_and_only_its_own_cursor_counts(call, manual, note, monkeypatch):
    from mcp.shared.exceptions import MCPError

    monkeypatch.setattr("khub.server.mcp.outline.PAGE_SIZE", 4)
    first = call("describe", doc_id=manual).structured_content
    second = call("describe", doc_id=manual, cursor=first["next_cursor"]).structured_content
    assert not {s["path"] for s in first["sections"]} & {s["path"] for s in second["sections"]}
    for arguments in ({"doc_id": note, "cursor": first["next_cursor"]}, {"doc_id": manual, "cursor": "zzz"}):
        with pytest.raises(ExceptionGroup) as error:  # of the client's task groups
            call("describe", **arguments)
        refused = error.value.subgroup(lambda one: isinstance(one, MCPError) and one.error.code == -32602)
        assert refused is not None


def test_section_pages_and_passage(call, manual):
    outline = call("describe", doc_id=manual).structured_content["sections"]
    path = next(section["path"] for section in outline if section["path"].endswith("3 Safety"))
    section = call("read_section", doc_id=manual, section=path).structured_content
    assert "3.3 Emergency stop" in section["text"]
    assert "5 Error codes" not in section["text"]
    page = call("read_section", doc_id=manual, pages="4").structured_content
    assert "E-1003" in page["text"]
    pages = call("read_section", doc_id=manual, pages="2-4").structured_content
    assert len(pages["passages"]) > len(page["passages"])
    middle = pages["passages"][4]["chunk_id"]
    counts = [
        len(call("read_section", doc_id=manual, chunk_id=middle, neighbours=n).structured_content["passages"])
        for n in (0, 2)
    ]
    assert counts == [1, 5]


def test_passage_alone_names_its_document_and_page(call, manual):
    page = call("read_section", doc_id=manual, pages="4").structured_content
    cited = page["passages"][2]["chunk_id"]
    named, alone = (call("read_section", chunk_id=cited, **more) for more in ({"doc_id": manual}, {}))
    assert alone.structured_content == named.structured_content
    drawn = call("get_page_image", highlight=cited).structured_content
    assert (drawn["doc_id"], drawn["page"], drawn["marked"]) == (manual, 4, 1)
    assert call("get_page_image", highlight=cited, page=2).structured_content["page"] == 2
    for name, arguments in (
        ("read_section", {"section": "3 Safety"}),
        ("read_section", {"chunk_id": "nope"}),
        ("get_page_image", {"page": 1}),
        ("get_page_image", {"doc_id": manual}),
        ("get_page_image", {"highlight": "nope"}),
    ):
        assert call(name, **arguments).is_error


def test_answer_tells_what_to_read_on_with(call):
    result = call("query_knowledge_hub", query="Where is the error memory read?", collection="default", top_k=2)
    first, second = (citation["chunk_id"] for citation in result.structured_content["citations"])
    assert f"[1] `{first[:8]}`, [2] `{second[:8]}`." in result.content[0].text
    shown, whole = (call("read_section", chunk_id=name).structured_content for name in (first[:8], first))
    assert shown == whole
    assert call("get_page_image", highlight=first[:8]).structured_content["marked"] == 1
    nothing = call("query_knowledge_hub", query="qwertz", mode="keyword", collection="birds")
    assert "read_section" not in nothing.content[0].text


def test_beginning_of_several_ids_is_asked_back_with_the_ids(call, manual, monkeypatch):
    from khub.components.catalog.catalog import open_catalog

    monkeypatch.setattr("khub.components.catalog.reader.LEAST_OF_ID", 1)
    ids = [chunk["chunk_id"] for chunk in open_catalog().documents.chunks(manual)]
    start = next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    meant = [one for one in ids if one.startswith(start)]
    for tool, argument in (("read_section", "chunk_id"), ("get_page_image", "highlight")):
        result = call(tool, {"doc_id": manual, argument: start})
        assert result.is_error
        assert all(one in result.content[0].text for one in meant)
    monkeypatch.undo()


def test_beginning_that_is_too_short_names_no_passage(call, manual):
    from khub.components.catalog.catalog import open_catalog

    whole = open_catalog().documents.chunks(manual)[0]["chunk_id"]
    assert not call("read_section", chunk_id=whole[:6]).is_error
    assert call("read_section", chunk_id=whole[:5]).is_error


def test_section_by_its_own_heading(call, manual):
    short, whole = (
        call("read_section", doc_id=manual, section=name).structured_content
        for name in ("3.3 Emergency stop", "Ember 300 Operator Manual > 3 Safety > 3.3 Emergency stop")
    )
    assert short == whole
    assert "two red emergency stop buttons" in short["text"]


def test_what_is_too_long_says_where_it_goes_on(call, manual, monkeypatch):
    whole = call("read_section", doc_id=manual, section="").structured_content
    assert whole["next_chunk_id"] is None
    monkeypatch.setattr("khub.server.mcp.document_part.ROOM_TOKENS", 800)
    result = call("read_section", doc_id=manual, section="")
    part = result.structured_content
    assert part["next_chunk_id"] in {passage["chunk_id"] for passage in whole["passages"]}
    assert json.dumps(part["next"]) in result.content[0].text


@pytest.mark.parametrize("part", [{}, {"pages": "2-4"}, {"section": "5 Error codes"}])
def test_what_is_told_is_how_to_read_on(call, manual, part, monkeypatch):
    whole = call("read_section", doc_id=manual, **part).structured_content
    monkeypatch.setattr("khub.server.mcp.document_part.ROOM_TOKENS", 300)
    read, ask = [], {"doc_id": "Ember 300 Operator Manual", **part}
    while ask:
        data = call("read_section", **ask).structured_content
        read += [passage["chunk_id"] for passage in data["passages"]]
        ask = data["next"]
    assert read == [passage["chunk_id"] for passage in whole["passages"]]
    assert call("read_section", doc_id=manual, **part, after=read[-1]).is_error


@pytest.mark.parametrize(
    "part",
    [{"section": "3 Safety", "pages": "1"}, {"after": "nope"}, {"section": "qwertz"},
     {"pages": "99"}, {"pages": "0"}, {"pages": "../1"},
     {"chunk_id": "nope"}],
)  # fmt: skip
def test_part_that_is_not_there(call, manual, part):
    assert call("read_section", doc_id=manual, **part).is_error


def test_page_is_drawn_with_the_passage_marked(call, manual):
    page = call("read_section", doc_id=manual, pages="4").structured_content
    cited = page["passages"][-1]["chunk_id"]
    plain = call("get_page_image", doc_id=manual, page=4)
    marked = call("get_page_image", doc_id=manual, page=4, highlight=cited)
    assert (plain.structured_content["marked"], marked.structured_content["marked"]) == (0, 1)
    colours = []
    for result in (plain, marked):
        [image] = [block for block in result.content if block.type == "image"]
        with Image.open(io.BytesIO(base64.b64decode(image.data))) as drawn:
            assert max(drawn.size) == 1024
            pixels = drawn.convert("RGB").get_flattened_data() if hasattr(drawn, "get_flattened_data") else None
            pixels = pixels or list(drawn.convert("RGB").getdata())
            colours.append(sum(r > 200 and b < r - 40 for r, _, b in pixels))
    assert colours[0] == 0
    assert colours[1] > 1000


def test_page_of_a_type_that_cannot_be_drawn_is_given_as_text(call, note):
    from khub.components.catalog.catalog import open_catalog

    chunk = open_catalog().documents.chunks(note)[0]["chunk_id"]
    result = call("get_page_image", doc_id=note, page=1, highlight=chunk)
    assert result.structured_content["drawn"] is False
    assert "酒店" in result.content[0].text
    assert call("get_page_image", doc_id=note, page=1).is_error


@pytest.mark.parametrize("page", [0, 6, 200_000])
def test_page_that_is_not_there(call, manual, page):
    assert call("get_page_image", doc_id=manual, page=page).is_error


def test_passage_of_another_document_is_not_marked(call, manual, note):
    from khub.components.catalog.catalog import open_catalog

    chunk = open_catalog().documents.chunks(note)[0]["chunk_id"]
    assert call("get_page_image", doc_id=manual, page=1, highlight=chunk).is_error
    assert call("read_section", doc_id=manual, chunk_id=chunk).is_error


def test_page_of_a_file_that_has_changed_is_not_drawn(tmp_path):
    from khub.components.errors import SourceError
    from khub.server.library.source_record import source_record
    from khub.server.reads.page_image import page_image

    file = Path(shutil.copy(MANUAL, tmp_path / "manual.pdf"))
    record = source_record(str(file), "default")
    row = {"source": str(file), "sha256": record["sha256"], "size": record["size"], "pages": 5, "doc_type": "pdf"}
    assert page_image(row, 1, []).startswith(b"\x89PNG")
    file.write_bytes(file.read_bytes()[:-1] + b" ")
    with pytest.raises(SourceError, match="has changed"):
        page_image(row, 1, [])


def test_pictures_by_their_words(call):
    result = call("search_images", query="bi-encoder and cross-encoder", collection="default")
    best = result.structured_content["images"][0]
    assert "bi-encoder" in best["words"]
    assert [block.type for block in result.content[:2]] == ["text", "image"]
    assert call("search_images", query="bi-encoder", collection="default", top_k=1).structured_content["images"] == [
        {**best, "score": pytest.approx(best["score"], abs=1)}
    ]


def test_text_is_checked_against_the_documents(call, monkeypatch):
    checked = []

    async def verify(answer, collection, *_):
        checked.append((answer, collection))
        citation = Citation(
            id=1,
            chunk_id="c1",
            source="/x/manual.pdf",
            title="Manual",
            section="3 Safety",
            page=2,
            text="Two buttons.",
            score=0.9,
        )
        claim = JudgedClaim("It has two buttons.", "agrees", 0.9, "Says so.", [citation])
        return Verification([claim], {"agrees": 1})

    monkeypatch.setattr("khub.server.questions.verify.verify_async", verify)
    result = call("verify_answer", answer="It has two buttons.", collection="default")
    assert checked == [("It has two buttons.", "default")]
    text = result.content[0].text
    assert "agrees" in text
    assert '"manual.pdf" › "3 Safety", page 2' in text
    assert result.structured_content["summary"] == {"agrees": 1}
    assert "`chunk_id` c1" in text
