"""What holds for every splitter."""

import re
import time

import pytest
from haystack import Document, Pipeline
from haystack.components.preprocessors import DocumentSplitter, PythonCodeSplitter, RecursiveDocumentSplitter
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.splitters import parameters as splitter_parameters
from khub.components.splitters.breakpoints import Breakpoints
from khub.components.splitters.haystack_splitter import HaystackSplitter
from khub.components.splitters.markdown_splitter import MarkdownSplitter

pytestmark = pytest.mark.unit

META = {
    "section", "start", "end", "ordinal", "page", "pages", "language", "content_hash", "image_refs", "boxes", "parent",
    "parent_start", "parent_end",
}  # fmt: skip
SMALL = DocumentEmbedder(model="khub-fast")


def markdown(size=800, overlap=150):
    overlap = min(overlap, size // 2)
    return MarkdownSplitter(chunk_size=size, overlap=overlap, wide_character=min(1.6, size - overlap))


def fixed(size=800, overlap=150):
    parameters = {"split_unit": "char", "split_length": size, "split_overlap": min(overlap, size // 2)}
    return HaystackSplitter(RecursiveDocumentSplitter(separators=["\f"], **parameters))


def recursive(size=800, overlap=0):
    separators = ["\n\n", "\n", "。", "！", ". ", " "]
    return HaystackSplitter(RecursiveDocumentSplitter(split_unit="char", split_length=size, separators=separators))


def words(size=800, overlap=0):
    return HaystackSplitter(DocumentSplitter(split_by="word", split_length=size))


def python(size=800, overlap=0):
    return HaystackSplitter(
        PythonCodeSplitter(min_effective_lines=1, max_effective_lines=size // 40 + 1, preserve_class_definition=False),
        [".py"],
    )


def semantic(size=800, overlap=0):
    return HaystackSplitter(Breakpoints(SMALL, chunk_size=size, min_size=size // 4))


ALL = [markdown, fixed, recursive, words, python, semantic]

LINES = st.sampled_from(
    [
        "# A\n",
        "## B\n",
        "Title\n",
        "=====\n",
        "---\n",
        "~~~ py\n",
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


@pytest.mark.parametrize("made", ALL)
@settings(max_examples=40, deadline=None)
@given(
    text=TEXTS,
    size=st.integers(2, 120),
    overlap=st.integers(0, 60),
    source=st.sampled_from([("markdown", "a.md"), ("code", "a.py"), ("code", "a.java")]),
)
def test_offsets_are_exact_and_nothing_is_lost(made, text, size, overlap, source):
    meta = {"doc_id": "d", "doc_type": source[0], "source": source[1]}
    chunks = made(size, overlap).run([Document(content=text, meta=meta)])["documents"]
    covered, marks = bytearray(len(text)), [mark.span() for mark in re.finditer(r"\[IMAGE: d_1_1\]", text)]
    for ordinal, chunk in enumerate(chunks):
        start, end = chunk.meta["start"], chunk.meta["end"]
        assert text[start:end] == chunk.content
        assert chunk.content.strip()
        assert len(chunk.content) <= size or made in (words, python) or "[IMAGE" in text
        assert chunk.meta["ordinal"] == ordinal
        assert chunk.meta.keys() >= META
        assert made is markdown or not any(a < cut < b for a, b in marks for cut in (start, end))
        covered[start:end] = b"\1" * (end - start)
    assert not "".join(c for c, seen in zip(text, covered, strict=True) if not seen).strip()
    assert [chunk.meta["start"] for chunk in chunks] == sorted(chunk.meta["start"] for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("made", ALL)
@pytest.mark.parametrize("content", [None, "", " \n\t\n"])
def test_a_blank_document_has_no_chunks(made, content):
    for doc_type in ("markdown", "code"):
        assert made().run([Document(content=content, meta={"doc_type": doc_type})]) == {"documents": []}


@pytest.mark.parametrize("made", ALL)
def test_it_survives_a_pipeline_file(made):
    pipeline = Pipeline()
    pipeline.add_component("split", made(444, 50))
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"]).get_component("split")
    assert loaded.fingerprint == made(444, 50).fingerprint != made(600, 50).fingerprint


@pytest.mark.parametrize("made", [markdown, fixed, semantic])
def test_the_fingerprint_changes_with_the_version(made, monkeypatch):
    before = made().fingerprint
    monkeypatch.setattr(splitter_parameters, "VERSION", "other")
    assert made().fingerprint != before


@pytest.mark.parametrize(
    ("made", "doc_type", "source"),
    [(markdown, "markdown", "a.md"), (recursive, "markdown", "a.md"), (markdown, "code", "a.py"),
     (markdown, "code", "a.java")],
)  # fmt: skip
def test_a_megabyte_takes_seconds_and_no_minutes(made, doc_type, source):
    prose = "One sentence (of the text). 这是一句中文，里面有一些词。" * 20
    table = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 10
    part = f"def f(x):\n    '{prose}'\n\n" if doc_type == "code" else f"## Title\n\n{prose}\n\n{table}\n"
    text = part * (1_000_000 // len(part))
    blocks = [{"page": n // 10 + 1, "bbox": [1, 2, 3, 4], "start": n * 100, "end": n * 100 + 99} for n in range(10_000)]
    meta = {"doc_type": doc_type, "source": source, "page_starts": list(range(0, len(text), 1000)), "blocks": blocks}
    start = time.process_time()
    made().run([Document(content=text, meta=meta)])
    assert time.process_time() - start < 20  # about one on a quiet machine; what grows with the square takes minutes
