import pytest

from khub.components.catalog.picture import Picture
from khub.components.converters.block_places import place_blocks
from khub.components.converters.blocks import Block
from khub.components.converters.pages import join_pages
from khub.components.converters.picture_marks import name_pictures

pytestmark = pytest.mark.unit

PAGES = ["# Title\n\nBefore.\n\n[IMAGE: 1@1]\n\nAfter.", "", "[IMAGE: 2@3]\n\nSecond [IMAGE: 9@9] page."]


def picture(page: int, seq: int) -> dict[str, object]:
    return Picture(page, seq, None, 9, 9, "image/png", b"data", "raster").to_dict()


def converted() -> dict[str, object]:
    text, starts = join_pages(PAGES)
    blocks = [
        Block("heading", "# Title", 1, level=1),
        Block("paragraph", "Before.", 1),
        Block("figure", "[IMAGE: 1@1]", 1, (0, 0, 9, 9)),
        Block("paragraph", "After.", 1),
        Block("paragraph", "never written", 1),
        Block("figure", "[IMAGE: 2@3]", 3),
        Block("paragraph", "Second [IMAGE: 9@9] page.", 3),
    ]
    pictures = [picture(1, 1), picture(3, 2)]
    return {"text": text, "page_starts": starts, "blocks": place_blocks(text, starts, blocks), "pictures": pictures}


def test_marks_become_ids_and_places_move_with_them() -> None:
    before = converted()

    named, pictures = name_pictures(before, "d0c", "/a.pdf")

    text = named["text"]
    assert [one.image_id for one in pictures] == ["d0c_1_1", "d0c_3_2"]
    assert text == ("# Title\n\nBefore.\n\n[IMAGE: d0c_1_1]\n\nAfter.\n\n[IMAGE: d0c_3_2]\n\nSecond  page.")
    assert [text[block["start"] : block["end"]] for block in named["blocks"]] == [
        "# Title", "Before.", "[IMAGE: d0c_1_1]", "After.", "[IMAGE: d0c_3_2]", "Second  page.",
    ]  # fmt: skip
    assert [text[start : start + 7] for start in named["page_starts"]] == ["# Title", "[IMAGE:", "[IMAGE:"]
    assert before == converted()


def test_pictures_come_back_as_they_were() -> None:
    _, pictures = name_pictures(converted(), "d0c", "/a.pdf")

    assert pictures[0].picture.data == b"data"
    assert (pictures[0].doc_id, pictures[0].source) == ("d0c", "/a.pdf")


def test_equal_blocks_are_found_one_after_the_other() -> None:
    text, starts = join_pages(["Same.\n\nSame.", "Same."])

    placed = place_blocks(text, starts, [Block("paragraph", "Same.", page) for page in (1, 1, 2)])

    assert [block["start"] for block in placed] == [0, 7, 14]
    assert [block["page"] for block in placed] == [1, 1, 2]
