import pytest
from haystack import Document

from khub.components.answers.surroundings import surroundings

pytestmark = pytest.mark.unit

TEXT = (
    "# Travel\n\nFirst of all, ask. Then book. Trains come first. Planes come last. The budget is 300. "
    "It is paid in March. Receipts go to the office. Nobody waits for more than a week. The end."
)


def chunk(start: int, end: int, ordinal: int, section_start: int = 0) -> Document:
    meta = {"start": start, "end": end, "ordinal": ordinal, "parent_start": section_start}
    return Document(id=str(ordinal), content=TEXT[start:end], meta=meta)


def at(text: str) -> int:
    return TEXT.index(text)


CHUNKS = [
    chunk(0, at("Trains"), 0),
    chunk(at("Then"), at("Planes") - 1, 1),
    chunk(at("Trains"), at("It is") - 1, 2),
    chunk(at("The budget"), at("Receipts") - 1, 3),
    chunk(at("Receipts"), len(TEXT), 4),
]


def test_what_chunks_repeat_of_each_other_is_left_out() -> None:
    around = surroundings(CHUNKS[2], CHUNKS, 3000)

    assert around["before"] + " " + (CHUNKS[2].content or "") + " " + around["after"] == TEXT
    assert around["section"] == ""


def test_text_is_cut_between_sentences_within_the_room() -> None:
    around = surroundings(CHUNKS[3], CHUNKS, 81)

    assert around["before"] == "…Planes come last."
    assert around["section"] == "# Travel…"
    assert around["after"] == "Receipts go to the office.…"
    assert sum(map(len, around.values())) <= 81


def test_the_beginning_of_the_section_is_told_where_the_text_before_does_not_reach_it() -> None:
    around = surroundings(CHUNKS[3], CHUNKS, 120)

    assert around["section"] == "# Travel\n\nFirst of all, ask.…"
    assert surroundings(CHUNKS[3], CHUNKS[2:], 120)["section"] == ""
    assert surroundings(chunk(at("The budget"), at("Receipts") - 1, 3, at("The budget")), CHUNKS, 120)["section"] == ""


def test_a_chunk_whose_text_was_changed_lends_nothing() -> None:
    changed = Document(id="2", content="refined", meta=CHUNKS[2].meta)

    assert "refined" not in surroundings(CHUNKS[3], [*CHUNKS[:2], changed, *CHUNKS[3:]], 3000)["before"]


def test_the_only_chunk_has_nothing_around_it() -> None:
    assert surroundings(CHUNKS[0], CHUNKS[:1], 300) == {"before": "", "after": "", "section": ""}


def test_no_code_block_is_cut_in_two() -> None:
    before, hit, after = "One.\n```\ncode\n", "more\n", "code\n```\nTwo."
    ends = (0, len(before), len(before + hit), len(before + hit + after))
    chunks = [
        Document(content=text, meta={"start": start, "end": end, "ordinal": n})
        for n, (text, start, end) in enumerate(zip((before, hit, after), ends, ends[1:], strict=False))
    ]

    assert surroundings(chunks[1], chunks, 3000) == {"before": "…code", "after": "code…", "section": ""}
