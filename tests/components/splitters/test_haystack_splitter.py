"""What the hub adds to the chunks of another splitter."""

import pytest
from haystack import Document, component
from haystack.components.preprocessors import DocumentCleaner, PythonCodeSplitter, RecursiveDocumentSplitter

from khub.components.splitters.haystack_splitter import HaystackSplitter
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def every(length, overlap=0):
    return RecursiveDocumentSplitter(split_unit="char", split_length=length, split_overlap=overlap, separators=["\f"])


def split(text, splitter, **meta):
    given = {"doc_id": "d", "doc_type": "markdown", "source": "/x/a.md", **meta}
    return HaystackSplitter(splitter).run([Document(content=text, meta=given)])["documents"]


def test_the_section_is_the_one_with_most_of_the_chunk():
    text = f"# A\n\n{'a' * 120}\n\n# B\n\n{'b' * 120}"
    chunks = split(text, every(100))
    assert [chunk.meta["section"] for chunk in chunks] == ["A", "B", "B"]
    assert text[chunks[2].meta["parent_start"] :][:3] == "# B"


def test_pages_and_metadata_are_those_of_the_document():
    chunks = split("x" * 150 + "y" * 50, every(100), page_starts=[0, 150], team="birds", blocks=[])
    assert [(chunk.meta["page"], chunk.meta["pages"], chunk.meta["team"]) for chunk in chunks] == [
        (1, [1, 1], "birds"), (1, [1, 2], "birds"),
    ]  # fmt: skip
    assert not any(
        {"blocks", "page_starts", "split_id", "source_id", "page_number"} & chunk.meta.keys() for chunk in chunks
    )


def test_the_mark_of_a_picture_is_never_cut():
    text = "x" * 95 + "[IMAGE: d_1_1]" + "y" * 95
    for length in range(20, 140, 3):
        for overlap in (0, length // 2):
            chunks = split(text, every(length, overlap))
            assert all(("[IMAGE" in chunk.content) == ("_1_1]" in chunk.content) for chunk in chunks)
            assert any(chunk.meta["image_refs"] == ["d_1_1"] for chunk in chunks)


def test_a_comment_in_source_code_is_no_heading():
    assert split("# note\nx = 1\n", every(100))[0].meta["section"] == "note"
    assert split("# note\nx = 1\n", every(100), doc_type="code")[0].meta["section"] == ""


@pytest.mark.parametrize(
    ("source", "text", "sections"),
    [("a.PY", "x = 1\n", [""]), ("a.py", "def f(:\n", ["f"]), ("a.md", "# x\n\nfish", ["x"])],
)
def test_what_is_not_for_it_goes_to_the_other_splitter(source, text, sections):
    splitter = HaystackSplitter(PythonCodeSplitter(), [".py"])
    meta = {"doc_id": "d", "doc_type": "markdown" if source == "a.md" else "code", "source": source}
    assert [c.meta["section"] for c in splitter.run([Document(content=text, meta=meta)])["documents"]] == sections


def test_a_splitter_that_changes_the_text_is_refused():
    @component
    class Shouting:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]):
            return {"documents": [Document(content=(d.content or "").upper()) for d in documents]}

    with raises_code("graph_parameter_invalid", "'/x/a.md'", "'HERONS'"):
        split("herons", Shouting())
    assert split("herons", DocumentCleaner())[0].content == "herons"  # what only cuts may be any component
