"""Each diff that names another model that sees has pictures described by it, beside the model for words."""

import base64
import io

import pytest
from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.util import Inches

from khub.components.catalog.catalog import open_catalog
from khub.server.library.ingest import ingest
from tests.backends.providers.conftest import LOCAL
from tests.backends.providers.model import CAPTION
from tests.backends.providers.openai_protocol import LlamaCpp
from tests.backends.providers.played import served
from tests.backends.providers.provider_server import KEY, serving

pytestmark = pytest.mark.integration

WORDS = "api_base_url: {}/v1\n                  model: qwen3:8b"
EACH = pytest.mark.parametrize("name", served("vision"))


@pytest.fixture
def words(monkeypatch):
    """The server of the model for words."""
    with serving(LlamaCpp()) as server:
        yield server


@pytest.fixture
def slides(tmp_path):
    """A document with a picture."""
    picture = Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(picture).rectangle((60, 60, 130, 290), fill="navy")
    data = io.BytesIO()
    picture.save(data, "PNG")
    data.seek(0)
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "When the Ember robot goes to its dock"
    slide.shapes.add_picture(data, Inches(1), Inches(2), width=Inches(6))
    (tmp_path / "files").mkdir()
    deck.save(tmp_path / "files" / "dock.pptx")
    return tmp_path / "files"


def swapped(hub, name, words):
    made = hub("vision", name)
    made.patch.setenv("KHUB_LLM_API_KEY", KEY)
    made.refuse(WORDS.format(LOCAL), WORDS.format(words.address))
    made.swap()
    return made


def chunks():
    return [chunk.content for chunk in open_catalog().chunks.visible("seen")]


@EACH
def test_a_picture_is_described_by_it(hub, name, slides, words, converted_here):
    made = swapped(hub, name, words)
    report = ingest([str(slides)], "seen", "more/ingest_llm")

    assert len(report.written) == 1
    assert made.provider.refused == []
    assert len(made.provider.asked) == 1
    assert any(CAPTION in chunk for chunk in chunks())
    sent = str(made.provider.asked[0].body)
    assert base64.b64encode(b"\x89PNG\r\n").decode()[:8] in sent
    assert {request.body["model"] for request in words.asked} == {"qwen3:8b"}
    assert KEY.encode() not in made.kept()


@EACH
def test_where_it_refuses_rules_stand_in_and_it_is_told(hub, name, slides, words, converted_here):
    made = swapped(hub, name, words)
    made.provider.fails = 401
    report = ingest([str(slides)], "seen", "more/ingest_llm")

    assert len(report.written) == 1
    assert not any(CAPTION in chunk for chunk in chunks())
    assert b"put a key of this server into the variable that the graph names" in made.kept()
