import pytest
from haystack import Document, component

from components.errors import KhubError
from components.splitters.semantic_splitter import SemanticSplitter

pytestmark = pytest.mark.unit

BIRDS, ENGINES = "Herons stand in water. ", "Engines burn fuel fast. "
TEXT = BIRDS * 12 + ENGINES * 12 + BIRDS * 12


@component
class Topics:
    """Embeds by the share of two words."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self.seen: list[str] = []

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        self.seen += [document.content for document in documents]
        vectors = [
            [self.scale * (d.content.count("Herons") + d.content.count("鹭")), self.scale * d.content.count("Engines")]
            for d in documents
        ]
        pairs = zip(documents, vectors, strict=True)
        return {"documents": [Document(id=d.id, content=d.content, embedding=vector) for d, vector in pairs]}


def split(text=TEXT, *, doc_type="markdown", embedder=None, **parameters):
    document = Document(content=text, meta={"doc_id": "d1", "doc_type": doc_type, "source": "a.py"})
    return SemanticSplitter(embedder or Topics(), **parameters).run([document])["documents"]


def contents(text=TEXT, **parameters):
    return [chunk.content for chunk in split(text, **parameters)]


def test_chunks_end_where_the_subject_changes():
    expected = [part.strip() for part in (BIRDS * 12, ENGINES * 12, BIRDS * 12)]
    assert contents() == expected


def test_the_small_static_model_is_the_default():
    topics = [
        "The heron is a wading bird. It catches fish in shallow water. Its nest stands high in a tree. ",
        "The engine burns diesel fuel. Its pistons turn the crankshaft. Oil cools the cylinders. ",
    ]
    chunks = SemanticSplitter(min_size=60).run([Document(content="".join(topics))])["documents"]
    assert [chunk.content for chunk in chunks] == [topic.strip() for topic in topics]


def test_the_embedder_decides():
    @component
    class Same:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]):
            return {"documents": [Document(id=d.id, content=d.content, embedding=[1.0]) for d in documents]}

    assert contents(embedder=Same(), chunk_size=2000) == [TEXT.strip()]


def test_percentile():
    text = "".join(BIRDS * 10 + ENGINES * n for n in (10, 11, 12, 13))
    assert contents(text, percentile=1, chunk_size=4000) == [text.strip()]
    assert len(contents(text, percentile=0.8, chunk_size=4000)) == 8


def test_min_size():
    text = BIRDS * 12 + ENGINES * 3 + BIRDS * 12
    assert len(contents(text, min_size=200)) < len(contents(text, min_size=50)) == 3
    sections = f"# A\n\n## B\n\n{BIRDS * 4}\n\n## C\n\n{BIRDS * 4}"
    assert len(contents(sections, min_size=200)) == 1
    assert len(contents(sections, min_size=50)) == 2


def test_window():
    # One stray sentence is a change of subject only to who looks at nothing else.
    text = BIRDS * 12 + ENGINES + BIRDS * 12
    assert len(contents(text, window=1, min_size=0, percentile=0.9, chunk_size=2000)) == 3
    assert len(contents(text, window=3, min_size=0, percentile=0.96, chunk_size=2000)) != 3


def test_what_is_too_long_is_cut_at_its_widest_gap():
    text = BIRDS * 20 + ENGINES * 10
    assert contents(text, percentile=1, chunk_size=600) == [(BIRDS * 20).strip(), (ENGINES * 10).strip()]
    assert all(len(content) <= 400 for content in contents(text, percentile=1, chunk_size=400))


def test_wide_characters():
    text = "鹭在浅水里站着等鱼。" * 60
    assert len(contents(text, percentile=1)) == 1
    assert len(contents(text, percentile=1, wide_character=2.0)) == 2


def test_tables_and_code_stay_whole():
    table = "| Herons | Engines |\n|---|---|\n" + "| Herons. One | Engines. Two |\n" * 12
    code = "```\n" + 'say("Herons. Engines")\n\n' * 12 + "```"
    chunks = contents(
        f"{ENGINES * 9}\n\n{table}\n{ENGINES * 9}\n\n{code}\n\n{ENGINES * 9}", min_size=50, percentile=0.2
    )
    assert sum(table.strip() in chunk for chunk in chunks) == 1
    assert sum(code in chunk for chunk in chunks) == 1


def test_headings_stay_with_their_text_and_separate_chunks():
    text = f"# A\n\n{BIRDS * 12}\n\n# B\n\n{BIRDS * 10}{ENGINES * 12}"
    chunks = split(text, percentile=0.5)
    assert [chunk.meta["section"] for chunk in chunks] == ["A", "B", "B"]
    assert chunks[0].content.startswith("# A\n\nHerons")
    assert chunks[1].meta["parent"] == chunks[2].meta["parent"] != chunks[0].meta["parent"]
    assert text[chunks[2].meta["parent_start"] :].startswith("# B")


def test_source_code_is_not_embedded():
    topics = Topics()
    code = "# Herons\n\ndef f():\n    return 1\n"
    assert split(code, doc_type="code", embedder=topics)[0].meta["symbols"] == ["f"]
    assert not topics.seen
    assert "symbols" not in split(code, doc_type="code", code="text", embedder=topics)[0].meta
    assert topics.seen


def test_fingerprint_follows_the_model():
    prints = {SemanticSplitter(embedder).fingerprint for embedder in (None, Topics(), _other_model())}
    assert len(prints) == 3


def _other_model():
    class Other(Topics):
        fingerprint = "other"

    return Other()


@pytest.mark.parametrize("parameters", [{"percentile": 1.5}, {"min_size": 401}, {"window": 0}, {"code": "x"}])
def test_parameters_out_of_range(parameters):
    with pytest.raises(KhubError, match=str(next(iter(parameters.values())))):
        SemanticSplitter(**parameters)
