"""`khub images` finds pictures by words and by a picture like them."""

import pytest
from PIL import Image, ImageDraw
from pptx import Presentation

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def barn(tmp_path, khub):
    """A picture in a slide of collection `farm`."""
    path = tmp_path / "barn.png"
    image = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(image).polygon([(40, 180), (40, 90), (150, 30), (260, 90), (260, 180)], fill="darkred")
    image.save(path)
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "The red barn of the farm"
    slide.shapes.add_picture(str(path), 0, 0)
    slides.save(str(tmp_path / "barn.pptx"))
    result = khub("ingest", tmp_path / "barn.pptx", "--collection", "farm")
    assert result.exit_code == 0, result.output
    return path


def test_a_picture_is_found_by_words_by_a_file_and_by_its_id(khub, khub_json, barn):
    (by_words,) = khub_json("images", "red barn")["images"]
    with Image.open(barn) as image:
        image.crop((30, 20, 290, 190)).save(barn.with_name("part.png"))
    (by_part,) = khub_json("images", "--like", barn.with_name("part.png"))["images"]
    (by_id,) = khub_json("images", "--like", by_words["image_id"])["images"]
    assert by_words["image_id"] == by_part["image_id"] == by_id["image_id"]
    shown = khub("images", "--like", barn)
    assert shown.exit_code == 0
    assert ".png" in shown.stdout
    assert "degraded" not in shown.stderr
    assert "by copies and parts alone" in shown.stderr
    assert by_words["score"] <= 1


def test_mistakes(khub, barn, tmp_path):
    assert khub("images").exit_code == 2
    assert khub("images", "barn", "--like", barn).exit_code == 2
    (tmp_path / "no.png").write_text("no picture")
    for file in (tmp_path / "none.png", tmp_path / "no.png"):
        result = khub("images", "--like", file)
        assert result.exit_code != 0
        assert "Traceback" not in result.output
