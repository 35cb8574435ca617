"""The golden questions of the handbook as retrieval sets: text like nothing that the models were trained on."""

import hashlib
from pathlib import Path
from typing import Any

from haystack import Document

from components.converters.markitdown_converter import MarkItDownConverter
from components.evaluators.matching import matches
from components.splitters.markdown_splitter import MarkdownSplitter
from components.text.chunk_text import embedded_text
from eval.models.development import RetrievalSet
from eval.run.golden_set import GoldenSet, golden_sets

SAMPLES = Path(__file__).parents[1] / "samples"
SETS = ("handbook-en", "handbook-zh")


def handbook_sets() -> list[RetrievalSet]:
    """Make one set for each language: a question's passage is the first chunk that shows its main place."""
    chunks = _chunks(SAMPLES)
    return [_set(one, chunks) for one in golden_sets(SETS)]


def _chunks(folder: Path) -> list[Document]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    converter = MarkItDownConverter()
    documents: list[Document] = []
    left = [_record(path) for path in files]
    while left:
        result = converter.run(sources=left)
        documents += result["documents"]
        left = [record for record in left if record["path"] in set(result["remaining"])]
    found: list[Document] = MarkdownSplitter().run(documents=documents)["documents"]
    return found


def _record(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    name = path.relative_to(SAMPLES).as_posix()
    return {"path": str(path), "doc_id": name, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def _set(golden: GoldenSet, chunks: list[Document]) -> RetrievalSet:
    citations = [
        {"relative_source": chunk.meta["doc_id"], "page": chunk.meta["page"], "text": chunk.content} for chunk in chunks
    ]
    queries, wanted = [], []
    for case in golden.cases:
        if not case.relevant:
            continue
        main = case.relevant[0]
        place = {"source": main.source, "page": main.page, "evidence": main.evidence}
        shown = next((number for number, citation in enumerate(citations) if matches(citation, place)), None)
        if shown is not None:  # a place in a scanned page has no chunk
            queries.append(case.question)
            wanted.append(shown)
    rest = sorted(set(range(len(chunks))) - set(wanted))
    passages = [embedded_text(chunks[number]) for number in wanted + rest]
    return RetrievalSet(golden.name, queries, passages)
