import pytest
from haystack import Document

from khub.components.converters.blocks import Block
from khub.components.converters.text_edits import insert, page_texts, replace_page

pytestmark = pytest.mark.unit


def block(page: int, start: int, end: int) -> dict[str, object]:
    return {"kind": "paragraph", "page": page, "bbox": None, "level": 0, "start": start, "end": end}


def document() -> Document:
    meta = {
        "title": "T",
        "page_starts": [0, 7, 7, 14],
        "blocks": [block(1, 0, 5), block(3, 7, 12)],
    }
    return Document(content="alpha\n\ngamma\n\n", meta=meta)


def texts_of(edited: Document) -> list[str]:
    return [(edited.content or "")[each["start"] : each["end"]] for each in edited.meta["blocks"]]


def test_inserted_text_belongs_to_what_ends_there() -> None:
    edited = insert(document(), [(12, "!!"), (5, " beta"), (12, "?")])
    assert edited.content == "alpha beta\n\ngamma!!?\n\n"
    assert edited.meta["page_starts"] == [0, 12, 12, 22]
    assert texts_of(edited) == ["alpha", "gamma"]
    assert edited.meta["title"] == "T"


def test_page_or_block_that_begins_at_the_offset_begins_behind() -> None:
    meta = {"page_starts": [0, 5, 5], "blocks": [block(1, 0, 2), block(1, 2, 5)]}
    edited = insert(Document(content="alpha", meta=meta), [(2, "--"), (5, "!")])
    assert edited.content == "al--pha!"
    assert edited.meta["page_starts"] == [0, 8, 8]
    assert texts_of(edited) == ["al", "pha"]


def test_text_inserted_inside_a_block_becomes_part_of_it() -> None:
    edited = insert(document(), [(2, "--")])
    assert texts_of(edited) == ["al--pha", "gamma"]
    assert insert(Document(content="ab"), [(1, "-")]).content == "a-b"


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_page_is_replaced_and_the_others_stay(page: int) -> None:
    edited = replace_page(document(), page, "# New\n\ntext", [Block("heading", "# New", page, (1, 2, 3, 4), 1)])

    expected = ["alpha", "", "gamma", ""]
    expected[page - 1] = "# New\n\ntext"
    assert page_texts(edited) == expected
    assert "# New" in texts_of(edited)
    kept = [each for each in edited.meta["blocks"] if each["page"] != page]
    assert [(edited.content or "")[b["start"] : b["end"]] for b in kept] == [
        text for number, text in ((1, "alpha"), (3, "gamma")) if number != page
    ]
    starts = [each["start"] for each in edited.meta["blocks"]]
    assert starts == sorted(starts)


def test_page_can_lose_its_text() -> None:
    edited = replace_page(document(), 1, "", [])
    assert page_texts(edited) == ["", "", "gamma", ""]
    assert texts_of(edited) == ["gamma"]
