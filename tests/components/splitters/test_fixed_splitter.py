from itertools import pairwise

import pytest
from haystack import Document

from components.splitters.fixed_splitter import FixedSplitter

pytestmark = pytest.mark.unit


def split(text, *, doc_type="markdown", **parameters):
    return FixedSplitter(**parameters).run([Document(content=text, meta={"doc_type": doc_type})])["documents"]


def test_every_chunk_but_the_last_has_the_length_and_the_overlap():
    chunks = split("0123456789" * 30, chunk_size=100, overlap=20)
    assert [len(chunk.content) for chunk in chunks] == [100, 100, 100, 60]
    assert [one.meta["end"] - two.meta["start"] for one, two in pairwise(chunks)] == [20, 20, 20]
    assert [len(chunk.content) for chunk in split("0123456789" * 30, chunk_size=150, overlap=0)] == [150, 150]


def test_wide_characters():
    text = "鹭" * 200
    assert [len(chunk.content) for chunk in split(text, chunk_size=100, overlap=0)] == [100, 100]
    assert [len(chunk.content) for chunk in split(text, chunk_size=100, overlap=0, wide_character=2.0)] == [50] * 4


def test_the_section_is_the_one_with_most_of_the_chunk():
    text = f"# A\n\n{'a' * 120}\n\n# B\n\n{'b' * 120}"
    chunks = split(text, chunk_size=100, overlap=0)
    assert [chunk.meta["section"] for chunk in chunks] == ["A", "B", "B"]
    assert text[chunks[2].meta["parent_start"] :][:3] == "# B"


def test_the_mark_of_a_picture_is_never_cut():
    text = "x" * 95 + "[IMAGE: d_1_1]" + "y" * 95
    for chunk_size in range(60, 140, 3):
        for overlap in (0, chunk_size // 2):
            chunks = split(text, chunk_size=chunk_size, overlap=overlap)
            assert all(("[IMAGE" in chunk.content) == ("_1_1]" in chunk.content) for chunk in chunks)
            assert any(chunk.meta["image_refs"] == ["d_1_1"] for chunk in chunks)


def test_a_comment_in_source_code_is_no_heading():
    assert split("# note\nx = 1\n")[0].meta["section"] == "note"
    assert split("# note\nx = 1\n", doc_type="code")[0].meta["section"] == ""
