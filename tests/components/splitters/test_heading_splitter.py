import pytest
from haystack import Document

from components.errors import KhubError
from components.splitters.heading_splitter import HeadingSplitter

pytestmark = pytest.mark.unit

SENTENCE = "This is one sentence of the text. "
TEXT = f"# A\n\ntiny\n\n## B\n\n{SENTENCE * 50}\n\n### C\n\nsmall\n\n# D\n\n## E\n\nend"


def split(text=TEXT, *, doc_type="markdown", **parameters):
    document = Document(content=text, meta={"doc_id": "d1", "doc_type": doc_type, "source": "a.py"})
    return HeadingSplitter(**parameters).run([document])["documents"]


def sections(**parameters):
    return [chunk.meta["section"] for chunk in split(**parameters)]


def test_each_section_is_a_chunk_whatever_its_size():
    assert sections() == ["A", "A > B", "A > B > C", "D > E"]
    assert max(len(chunk.content) for chunk in split()) > 1600


def test_chunk_size_bounds_a_section():
    assert sections(chunk_size=1000) == ["A", "A > B", "A > B", "A > B > C", "D > E"]
    assert all(len(chunk.content) <= 1000 for chunk in split(chunk_size=1000))


def test_overlap():
    def repeated(overlap):
        one, two = split(chunk_size=1000, overlap=overlap)[1:3]
        return one.meta["end"] - two.meta["start"]

    assert repeated(0) <= 0
    assert 66 <= repeated(100) <= 100


def test_deepest_keeps_lower_headings_in_their_section():
    assert sections(deepest=2) == ["A", "A > B", "D > E"]
    assert sections(deepest=1) == ["A", "D"]
    assert split(deepest=1)[0].content.endswith("### C\n\nsmall")


def test_wide_characters():
    text = "鹭在浅水里站着等鱼。" * 300
    assert len(split(text, overlap=0)) == 1
    assert len(split(text, overlap=0, wide_character=2.0)) == 2


def test_source_code():
    code = "# a\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
    assert [chunk.meta["section"] for chunk in split(code, doc_type="code")] == ["f", "g"]
    assert [chunk.meta["section"] for chunk in split(code, doc_type="code", code="text")] == ["a"]


@pytest.mark.parametrize("parameters", [{"deepest": 0}, {"deepest": 7}, {"overlap": 2001}, {"code": "x"}])
def test_parameters_out_of_range(parameters):
    with pytest.raises(KhubError, match=str(next(iter(parameters.values())))):
        HeadingSplitter(**parameters)
