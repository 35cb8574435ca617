from dataclasses import replace
from typing import Any

import pytest
from haystack import Document

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.enrichers.image_captioner import ImageCaptioner
from khub.components.errors import GraphError

pytestmark = pytest.mark.integration

PNG = b"\x89PNG\r\n\x1a\n"
SHOWN = "A line chart of the load in kg over the hours of a day, with its highest value of 300 at noon."
AROUND = "The load of the robots over one day is shown below, and it was measured in spring."
LIMITS: dict[str, Any] = {"backoff_s": 0.0, "timeout_s": 5.0}


def picture(image_id: str, data: bytes, caption: str = "", text: str = "") -> DocumentPicture:
    plain = Picture(1, 1, None, 200, 100, "image/png", PNG + data, "raster", caption)
    return DocumentPicture(image_id, "manual", "/manual.pdf", plain, text)


CHART = picture("m_1_1", b"chart", "Figure 3: load chart of the robots", "kg  0 100\n200 300")
ALBUM = [CHART, picture("m_1_2", b"x")]


def chunk_with(make_chunks, text: str, *refs: str, **meta: Any) -> Document:
    return make_chunks(text, image_refs=list(refs), **meta)[0]


def caption(server, chunks: list[Document], album: list[DocumentPicture] = ALBUM, **parameters: Any) -> list[Document]:
    return ImageCaptioner(server.generator(), **{**LIMITS, **parameters}).run(chunks, album)["documents"]


def by_rules(*chunks: Document, album: list[DocumentPicture] = ALBUM) -> list[Document]:
    return ImageCaptioner().run(list(chunks), album)["documents"]


def test_what_the_model_sees_stands_behind_the_mark_of_the_picture(server, make_chunks) -> None:
    server.say = lambda prompt: SHOWN
    text = f"{AROUND}\n\n[IMAGE: m_1_1]\n\nThe text goes on."
    plain = make_chunks("Nothing to see here.")[0]
    chunk, other = caption(server, [chunk_with(make_chunks, text, "m_1_1"), plain])
    assert chunk.content == f"{AROUND}\n\n[IMAGE: m_1_1]\n{SHOWN}\n\nThe text goes on."
    assert chunk.meta["original"] == text
    assert chunk.meta["captions"] == {
        "m_1_1": {"text": SHOWN, "kind": "data chart", "by": "model", "low_quality": False, "appended": False}
    }
    assert "degraded" not in chunk.meta
    assert other is plain


def test_the_model_gets_the_picture_and_a_prompt_for_its_kind_and_language(server, make_chunks) -> None:
    server.say = lambda prompt: SHOWN
    caption(server, [chunk_with(make_chunks, f"{AROUND}\n\n[IMAGE: m_1_1]", "m_1_1")])
    content = server.requests[0]["messages"][0]["content"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBORw")
    assert all(part in content[0]["text"] for part in (AROUND, "Figure 3: load chart of the robots", "chart of data"))
    flow = chunk_with(make_chunks, "审批流程图如下，说明报销单从提交到付款的步骤。\n\n[IMAGE: m_1_2]", "m_1_2")
    caption(server, [flow])
    assert "多半是流程图" in server.prompts()[1]


def test_without_a_model_caption_line_and_ocr_stand_in_and_nothing_is_degraded(make_chunks) -> None:
    chunk = chunk_with(make_chunks, f"{AROUND}\n\n[IMAGE: m_1_1]", "m_1_1")
    (done,) = by_rules(chunk)
    assert done.content == f"{AROUND}\n\n[IMAGE: m_1_1]\nFigure 3: load chart of the robots\nkg 0 100 200 300"
    assert done.meta["captions"]["m_1_1"]["by"] == "rules"
    assert "degraded" not in done.meta


def test_a_picture_alone_in_its_chunk_borrows_the_paragraph_next_to_it(make_chunks) -> None:
    text, picture = make_chunks(AROUND, "[IMAGE: m_1_1]", image_refs=["m_1_1"])
    text.meta["image_refs"] = []
    assert AROUND in (by_rules(text, picture)[1].content or "")
    assert AROUND not in (by_rules(picture)[0].content or "")


@pytest.mark.parametrize(
    "reply",
    [
        "A picture.",
        "I'm sorry, but as an AI I cannot see images, so nothing can be said about the loads in it.",
        "load load load load load load kg kg kg kg kg kg kg of of of of the the the robots robots robots robots a a a",
        "一张折线图，展示机器人一天之内的负载变化，最高值出现在中午。",
    ],
)
def test_a_poor_caption_is_marked_and_what_is_known_stands_before_it(reply: str, server, make_chunks) -> None:
    server.say = lambda prompt: reply
    (chunk,) = caption(server, [chunk_with(make_chunks, f"{AROUND}\n\n[IMAGE: m_1_1]", "m_1_1")])
    assert chunk.meta["captions"]["m_1_1"]["low_quality"]
    assert "Figure 3: load chart of the robots\nkg 0 100 200 300\n" in (chunk.content or "")
    assert "degraded" not in chunk.meta


def test_a_model_that_fails_degrades_the_chunk_and_is_asked_again_for_it_only(server, make_chunks, turns) -> None:
    server.say = lambda prompt: turns.raw(400) if "Figure 3" in prompt else SHOWN
    text = f"{AROUND}\n\n[IMAGE: m_1_1]\n\n[IMAGE: m_1_2]"
    (once,) = caption(server, [chunk_with(make_chunks, text, "m_1_1", "m_1_2")])
    assert [(c["by"], "Figure 3" in c["text"]) for c in once.meta["captions"].values()] == [
        ("rules", True), ("model", False),
    ]  # fmt: skip
    assert once.meta["degraded"][0]["stage"] == "caption"
    asked = len(server.requests)
    server.say = lambda prompt: SHOWN
    (twice,) = caption(server, [once])
    assert len(server.requests) == asked + 1
    assert twice.content == f"{AROUND}\n\n[IMAGE: m_1_1]\n{SHOWN}\n\n[IMAGE: m_1_2]\n{SHOWN}"
    assert twice.meta["original"] == text
    assert "degraded" not in twice.meta


def test_a_chunk_without_the_mark_gets_it_once(make_chunks) -> None:
    (once,) = by_rules(chunk_with(make_chunks, AROUND, "m_1_1"))
    assert (once.content or "").startswith(f"{AROUND}\n\n[IMAGE: m_1_1]\nFigure 3")
    assert by_rules(once)[0].content == once.content


def test_a_mark_without_a_picture_stays_as_the_author_wrote_it(server, make_chunks) -> None:
    chunk = chunk_with(make_chunks, f"{AROUND} [IMAGE: gone]", "gone")
    (done,) = caption(server, [chunk])
    assert (done.content, done.meta) == (chunk.content, chunk.meta)
    assert server.requests == []


def test_the_pictures_go_on_with_their_captions(server, make_chunks) -> None:
    server.say = lambda prompt: turns_of.pop(0)
    turns_of = ["A picture.", SHOWN]
    text = f"{AROUND}\n\n[IMAGE: m_1_1]"
    chunks = [chunk_with(make_chunks, text, "m_1_1"), chunk_with(make_chunks, f"More. {text}", "m_1_1")]
    chunks[1].meta["ordinal"] = 1
    captioner = ImageCaptioner(server.generator(), concurrency=1, **LIMITS)
    unseen = replace(ALBUM[1], description="from before")
    first, second = captioner.run(chunks, [CHART, unseen])["pictures"]
    assert first.description == SHOWN  # not the poor one of the first chunk
    assert (first.picture, first.text) == (CHART.picture, CHART.text)
    assert second == unseen
    assert captioner.run([], None)["pictures"] == []
    assert ImageCaptioner().run(chunks, [CHART])["pictures"][0].description.startswith("Figure 3")


def test_a_caption_in_a_table_or_a_sentence_stays_on_its_line(make_chunks) -> None:
    table = "| part | view |\n| --- | --- |\n| pump | [IMAGE: m_1_1] |"
    chunk = chunk_with(make_chunks, table, "m_1_1")
    (done,) = by_rules(chunk, album=[replace(CHART, text="a | b")])
    assert (done.content or "").endswith("[IMAGE: m_1_1] (Figure 3: load chart of the robots a \\| b) |")
    assert by_rules(done)[0].content == by_rules(chunk)[0].content


def test_what_ocr_put_behind_the_mark_is_not_said_again(make_chunks) -> None:
    text = f"{AROUND}\n\n[IMAGE: m_1_1]\n\n> kg 0, 100"
    (done,) = by_rules(chunk_with(make_chunks, text, "m_1_1"))
    assert done.meta["captions"]["m_1_1"]["text"] == "Figure 3: load chart of the robots\n200 300"


def test_a_caption_cannot_bring_marks_or_structure_of_its_own(server, make_chunks) -> None:
    server.say = lambda prompt: f"# Heading\n\n{SHOWN} [IMAGE: other_1_1]"
    (chunk,) = caption(server, [chunk_with(make_chunks, f"{AROUND}\n\n[IMAGE: m_1_1]", "m_1_1")])
    assert (chunk.content or "").endswith(f"[IMAGE: m_1_1]\nHeading\n{SHOWN}")


def test_the_same_picture_with_the_same_text_around_is_asked_once(server, make_chunks) -> None:
    server.say = lambda prompt: SHOWN
    text = f"{AROUND}\n\n[IMAGE: m_1_1]"
    caption(server, [chunk_with(make_chunks, text, "m_1_1", doc_id=name) for name in "ab"])
    assert len(server.requests) == 1
    changed = [replace(CHART, picture=replace(CHART.picture, data=PNG + b"other"))]
    caption(server, [chunk_with(make_chunks, text, "m_1_1")], album=changed)
    assert len(server.requests) == 2


def test_how_long_a_caption_may_be(server, make_chunks) -> None:
    server.say = lambda prompt: SHOWN
    chunk = chunk_with(make_chunks, f"{AROUND}\n\n[IMAGE: m_1_1]", "m_1_1")
    (done,) = caption(server, [chunk], max_characters=20)
    assert done.meta["captions"]["m_1_1"]["text"] == f"{SHOWN[:19].rstrip()}…"
    with pytest.raises(GraphError, match="max_characters=0"):
        ImageCaptioner(max_characters=0)


def test_without_a_model_it_is_another_stage(server) -> None:
    assert ImageCaptioner().to_dict()["init_parameters"]["generator"] is None
    assert ImageCaptioner().fingerprint != ImageCaptioner(server.generator()).fingerprint
