"""What holds for every splitter."""

import time

import pytest
from haystack import Document, Pipeline
from hypothesis import given, settings
from hypothesis import strategies as st

from components.splitters import parameters as splitter_parameters
from components.splitters.code_splitter import CodeSplitter
from components.splitters.fixed_splitter import FixedSplitter
from components.splitters.heading_splitter import HeadingSplitter
from components.splitters.markdown_splitter import MarkdownSplitter
from components.splitters.semantic_splitter import SemanticSplitter

pytestmark = pytest.mark.unit

ALL = [MarkdownSplitter, HeadingSplitter, FixedSplitter, CodeSplitter, SemanticSplitter]
WITH_OVERLAP = [MarkdownSplitter, HeadingSplitter, FixedSplitter]
META = {"section", "start", "end", "ordinal", "page", "pages", "language", "content_hash"}
NEW_META = {"image_refs", "boxes", "parent", "parent_start", "parent_end"}
SMALL = SemanticSplitter()

LINES = st.sampled_from(
    [
        "# A\n",
        "## B\n",
        "```\n",
        "- item. Next\n",
        "| a | b |\n",
        "|---|---|\n",
        "一句话。那是另一句！\n",
        "[IMAGE: d_1_1]\n",
        "def f(x):\n",
        "class A {\n",
        "    return x\n",
        "    int g(y) {\n",
        "}\n",
        "\n",
        "\r\n",
        "One sentence. Another one! ",
        "鹭" * 30,
        "x" * 40,
        "\t",
        "\u3000",
    ]
)
TEXTS = st.lists(LINES | st.text(max_size=10), max_size=40).map("".join)


def splitter_of(cls, chunk_size, overlap, wide_character):
    overlap = min(overlap, chunk_size // 2, int(chunk_size - wide_character))
    more = {"overlap": overlap} if cls in WITH_OVERLAP else {}
    if cls is SemanticSplitter:
        more = {"embedder": SMALL.embedder, "min_size": chunk_size // 4}
    return cls(chunk_size=chunk_size, wide_character=wide_character, **more)


@pytest.mark.parametrize("cls", ALL)
@settings(max_examples=25, deadline=None)
@given(
    text=TEXTS,
    chunk_size=st.integers(2, 120),
    overlap=st.integers(0, 60),
    wide_character=st.sampled_from([1.0, 1.6, 2.0]),
    source=st.sampled_from([("markdown", "a.md"), ("code", "a.py"), ("code", "a.java")]),
)
def test_offsets_are_exact_and_nothing_is_lost(cls, text, chunk_size, overlap, wide_character, source):
    meta = {"doc_id": "d", "doc_type": source[0], "source": source[1]}
    splitter = splitter_of(cls, chunk_size, overlap, wide_character)
    chunks = splitter.run([Document(content=text, meta=meta)])["documents"]
    covered = bytearray(len(text))
    for ordinal, chunk in enumerate(chunks):
        start, end = chunk.meta["start"], chunk.meta["end"]
        assert text[start:end] == chunk.content
        assert chunk.content.strip()
        assert len(chunk.content) <= chunk_size
        assert chunk.meta["ordinal"] == ordinal
        assert chunk.meta.keys() >= META | NEW_META
        if cls is not FixedSplitter:
            assert chunk.meta["parent_start"] <= start < end <= chunk.meta["parent_end"]
        covered[start:end] = b"\1" * (end - start)
    assert not "".join(c for c, seen in zip(text, covered, strict=True) if not seen).strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("content", [None, "", " \n\t\n"])
def test_a_blank_document_has_no_chunks(cls, content):
    for doc_type in ("markdown", "code"):
        assert cls().run([Document(content=content, meta={"doc_type": doc_type})]) == {"documents": []}


@pytest.mark.parametrize("cls", ALL)
def test_it_survives_a_pipeline_file(cls):
    pipeline = Pipeline()
    pipeline.add_component("split", splitter_of(cls, 444, 50, 1.6))
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("split")
    assert (loaded.chunk_size, loaded.wide_character) == (444, 1.6)
    assert loaded.fingerprint == splitter_of(cls, 444, 50, 1.6).fingerprint


@pytest.mark.parametrize(
    ("cls", "others"),
    [
        (MarkdownSplitter, {"overlap": 10, "pack": 0.5, "code": "text"}),
        (HeadingSplitter, {"overlap": 10, "deepest": 2, "code": "text"}),
        (FixedSplitter, {"overlap": 10}),
        (CodeSplitter, {"pack": 0.5}),
        (SemanticSplitter, {"min_size": 10, "percentile": 0.5, "window": 2, "code": "text"}),
    ],
)
def test_the_fingerprint_changes_with_every_parameter_and_the_version(cls, others, monkeypatch):
    default = cls().fingerprint
    changed = [cls(**{name: value}).fingerprint for name, value in others.items()]
    changed += [cls(chunk_size=555).fingerprint, cls(wide_character=1.6).fingerprint]
    monkeypatch.setattr(splitter_parameters, "VERSION", "other")
    assert len({default, *changed, cls().fingerprint}) == len(changed) + 2


@pytest.mark.parametrize(
    ("splitter", "doc_type", "source"),
    [
        (MarkdownSplitter(), "markdown", "a.md"),
        (MarkdownSplitter(wide_character=1.6), "markdown", "a.md"),
        (FixedSplitter(wide_character=1.6), "markdown", "a.md"),
        (CodeSplitter(), "code", "a.py"),
        (CodeSplitter(), "code", "a.java"),
    ],
)
def test_a_megabyte_takes_seconds_and_no_minutes(splitter, doc_type, source):
    prose = "One sentence (of the text). 这是一句中文，里面有一些词。" * 20
    table = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 10
    part = f"def f(x):\n    '{prose}'\n\n" if doc_type == "code" else f"## Title\n\n{prose}\n\n{table}\n"
    text = part * (1_000_000 // len(part))
    blocks = [{"page": n // 10 + 1, "bbox": [1, 2, 3, 4], "start": n * 100, "end": n * 100 + 99} for n in range(10_000)]
    meta = {"doc_type": doc_type, "source": source, "page_starts": list(range(0, len(text), 1000)), "blocks": blocks}
    start = time.process_time()
    splitter.run([Document(content=text, meta=meta)])
    assert time.process_time() - start < 20  # about one on a quiet machine; what grows with the square takes minutes
