"""Searching by one leg, verifying, and searching for pictures."""

import base64
import shutil
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from pptx import Presentation

from khub.server.library.ingest import ingest
from khub.server.reads.hub_reads import catalog_of_hub, reader

pytestmark = pytest.mark.integration

SHIPPED = Path(__file__).parents[3] / "pipelines"


@pytest.mark.parametrize("leg", ["sparse", "dense"])
def test_one_leg_searches(client, leg):
    answer = client.post("/query/run", json={"query": "Where do herons nest?", "top_k": 1, "legs": [leg]}).json()
    assert len(answer["citations"]) == 1
    assert {entry["name"] for entry in answer["legs"] if entry["used"]} == {leg}


def test_a_text_is_verified(hub, client):
    shutil.copy(SHIPPED / "verify.yaml", hub)
    for body in ({"text": "Herons eat fish."}, {"claims": ["Herons eat fish."]}):
        assert client.post("/verify/run", json=body).json()["claims"]
    for wrong in ({}, {"text": "a", "claims": ["a"]}):
        assert client.post("/verify/run", json=wrong).status_code == 422


@pytest.mark.parametrize(
    "body", [{}, {"query": "a", "example": "b"}, {"query": "a", "top_k": 99}, {"example": "A" * 4_000_200}]
)
def test_what_is_no_search_for_pictures_is_refused(client, body):
    assert client.post("/search/images", json=body).status_code in (413, 422)


def test_pictures_are_found_by_words_and_by_an_example(hub, client, pictured):
    path, image_id = pictured
    by_words = client.post("/search/images", json={"query": "red barn", "collection": "pictured"}).json()
    assert [image["image_id"] for image in by_words["images"]] == [image_id]
    assert (by_words["degraded"], bool(by_words["hint"])) == ([], True)
    sent = base64.b64encode(path.read_bytes()).decode()
    for example in (sent, image_id):
        found = client.post("/search/images", json={"example": example, "collection": "pictured"}).json()
        assert [image["image_id"] for image in found["images"]] == [image_id]
        assert found["images"][0]["around"]
    refused = client.post("/search/images", json={"example": str(path), "collection": "pictured"})
    assert refused.status_code == 422
    assert client.post("/search/images", json={"example": sent, "collection": "none"}).status_code == 422


@pytest.fixture
def pictured(hub, tmp_path):
    """A slide with a picture: the picture's file, and its id."""
    path = tmp_path / "barn.png"
    image = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(image).polygon([(40, 180), (40, 90), (150, 30), (260, 90), (260, 180)], fill="darkred")
    image.save(path)
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "The red barn of the farm"
    slide.shapes.add_picture(str(path), 0, 0)
    slides.save(str(tmp_path / "barn.pptx"))
    assert not ingest([str(tmp_path / "barn.pptx")], "pictured").failed
    (row,) = reader().documents("pictured", 0, 10)
    return path, catalog_of_hub().images.opened(row["doc_id"])[0]
