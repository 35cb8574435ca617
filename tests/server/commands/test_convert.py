import random

import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.server.commands.convert import notes
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.usefixtures("converted_here")

SAMPLES = PIPELINES.parent / "eval" / "samples"


def picture(kind):
    return DocumentPicture("d_1_1", "d", "/x", Picture(1, 1, None, 9, 9, "image/png", b"..", kind))


@pytest.fixture
def slides(tmp_path):
    """A presentation of one slide with a picture."""
    noise = Image.frombytes("RGB", (300, 200), random.Random(1).randbytes(300 * 200 * 3))
    noise.save(tmp_path / "noise.png")
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Herons"
    slide.shapes.add_picture(str(tmp_path / "noise.png"), Inches(1), Inches(2), Inches(6))
    presentation.save(tmp_path / "herons.pptx")
    return tmp_path / "herons.pptx"


@pytest.mark.integration
def test_markdown_is_printed_with_page_marks(khub, tmp_path):
    result = khub("convert", SAMPLES / "travel-policy-zh.pdf")
    assert result.exit_code == 0
    assert result.stdout.startswith("<!-- page 1 -->\n\n")
    assert "<!-- page 2 -->" in result.stdout
    assert not (tmp_path / "home" / "catalog.sqlite3").exists()


@pytest.mark.integration
def test_json_holds_text_blocks_and_metadata(khub_json):
    converted = khub_json("convert", SAMPLES / "travel-policy-zh.pdf")
    assert converted["graph"] == "ingest"
    assert "<!-- page" not in converted["text"]
    block = converted["meta"]["blocks"][0]
    assert block["page"] == 1
    assert converted["text"][block["start"] : block["end"]].strip()
    assert converted["pictures"] == []


@pytest.mark.integration
def test_pictures_are_listed_without_their_bytes(khub_json, khub, slides):
    (picture,) = khub_json("convert", slides)["pictures"]
    assert "data" not in picture
    assert (picture["page"], picture["mime"]) == (1, "image/png")
    assert picture["size"] > 0
    result = khub("convert", slides)
    assert result.stdout.startswith("<!-- page 1 -->\n\n# Herons")
    assert f"[IMAGE: {picture['image_id']}]" in result.stdout
    assert "khub: in it: 1 picture\n" in result.stderr
    assert khub_json("convert", slides, "--graph", "ingest_fast")["pictures"] == []


@pytest.mark.integration
def test_mistakes_take_one_line(khub, files):
    for arguments, said in (
        ([files], "is a folder: name one file in it"),
        ([files / "gone.md"], "does not exist"),
        ([files / "notes.txt", "--graph", "query"], "name one that has, such as 'ingest'"),
    ):
        result = khub("convert", *arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert said in result.stderr
        assert result.stderr.count("\n") == 1
    assert khub("convert").exit_code == 2


@pytest.mark.unit
def test_what_there_is_to_say():
    meta = {
        "removed": {"page numbers": 1200, "header/footer lines": 2},
        "needs_ocr": [3, 4], "empty_pages": [9], "damaged_pages": list(range(1, 31)),
    }  # fmt: skip
    assert notes(meta, [picture("raster"), picture("drawing"), picture("page")]) == [
        ("left out", "1,200 page numbers, 2 header/footer lines"),
        ("in it", "2 pictures"),
        ("pages that need OCR", "3, 4"),
        ("pages without text", "9"),
        ("pages that cannot be read", f"{', '.join(map(str, range(1, 21)))} and 10 more"),
    ]
    assert notes({}, []) == []
