"""Pictures by an example, and pictures beside an answer that a question asks for."""

import base64
import io

import pytest
from PIL import Image

pytestmark = pytest.mark.integration


@pytest.fixture
def call(hub, with_client):
    """A function: call a tool with the server's options, return its result."""

    def run(name, options=None, **arguments):
        results = []

        async def test(client):
            results.append(await client.call_tool(name, arguments))

        with_client(test, **(options or {}))
        return results[0]

    return run


@pytest.fixture
def picture(hub):
    """A picture of the guide: what the catalog says of it."""
    from khub.components.catalog.catalog import open_catalog

    rows = open_catalog().database.rows("SELECT image_id FROM images ORDER BY rowid")
    ids = [row[0] for row in rows]
    return open_catalog().images.get(ids)[ids[0]]


@pytest.fixture
def screenshot(picture) -> bytes:
    """A part of the picture, scaled, as JPEG."""
    with Image.open(picture["path"]) as image:
        width, height = image.size
        part = image.convert("RGB").crop((width // 10, height // 12, width, height)).resize((width // 2, height // 2))
    file = io.BytesIO()
    part.save(file, "JPEG", quality=50)
    return file.getvalue()


@pytest.mark.parametrize("prefix", ["", "data:image/jpeg;base64,"])
def test_a_part_of_a_picture_finds_it_and_the_passage_around_it(call, picture, screenshot, prefix):
    result = call("search_images", example=prefix + base64.b64encode(screenshot).decode(), collection="default")
    best = result.structured_content["images"][0]
    assert best["image_id"] == picture["image_id"]
    assert best["score"] > 0.8
    assert best["around"]
    assert call("read_section", chunk_id=best["chunk_id"]).is_error is not True
    assert result.structured_content["degraded"] == []
    assert "by copies and parts alone" in result.structured_content["hint"]
    assert [block.type for block in result.content[:2]] == ["text", "image"]


def test_a_picture_of_the_hub_finds_itself(call, picture):
    result = call("search_images", example=picture["image_id"], collection="default", top_k=1)
    assert [image["image_id"] for image in result.structured_content["images"]] == [picture["image_id"]]


def test_a_file_is_read_where_files_may_be_ingested_from(call, picture, screenshot, tmp_path):
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "part.jpg").write_bytes(screenshot)
    (tmp_path / "beside.jpg").write_bytes(screenshot)
    options = {"allow_write": True, "roots": (folder,)}
    found = call("search_images", options, example=str(folder / "part.jpg"), collection="default")
    assert found.structured_content["images"][0]["image_id"] == picture["image_id"]
    assert call("search_images", options, example=str(tmp_path / "beside.jpg"), collection="default").is_error
    assert call("search_images", example=str(folder / "part.jpg"), collection="default").is_error


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": "figure", "example": "iVBOR"},
        {"example": "no base64 !"},
        {"example": base64.b64encode(b"no picture").decode()},
        {"example": "0" * 32 + "_1_1"},
        {"example": "A" * 4_000_050},
    ],
)
def test_what_is_no_example_is_refused(call, arguments):
    result = call("search_images", collection="default", **arguments)
    assert result.is_error
    assert "Traceback" not in result.content[0].text


def test_closed_pictures_are_no_examples_and_are_not_found(call, picture, screenshot, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    for example in (picture["image_id"], base64.b64encode(screenshot).decode()):
        result = call("search_images", example=example, collection="default")
        assert result.is_error
        assert picture["image_id"] not in result.content[0].text.replace(example, "")


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("How do bi-encoders and cross-encoders differ?", None),
        ("Show me the diagram of the two-stage retrieval pipeline with reranking", True),
    ],
)
def test_a_question_for_a_picture_is_answered_with_those_of_its_passages(call, query, shown):
    result = call("query_knowledge_hub", query=query, collection="default", detail="full")
    pictures = [block for block in result.content if block.type == "image"]
    assert len(pictures) <= 3
    if shown:
        held = [image for citation in result.structured_content["citations"] for image in citation["images"]]
        assert bool(pictures) == bool(held)
        assert pictures
        concise = call("query_knowledge_hub", query=query, collection="default")
        assert [block for block in concise.content if block.type == "image"] == pictures
        assert any(f"`{image}`" in concise.content[0].text for image in held)
