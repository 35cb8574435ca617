import pytest

from khub.eval.lab.comparison.chunk import Chunk, by_documents, by_number, read_chunks, write_chunks

pytestmark = pytest.mark.unit
CHUNKS = [
    Chunk(str(i), f"Titel\n年假 {i}", f"年假 {i}", {"doc_id": doc, "page": None}) for i, doc in enumerate("aaabcc")
]


def sizes(batches):
    return [[chunk.id for chunk in batch] for batch in batches]


def test_chunks_come_back_as_they_were_written(tmp_path):
    write_chunks(tmp_path / "chunks.jsonl", CHUNKS)
    assert list(read_chunks(tmp_path / "chunks.jsonl")) == CHUNKS


def test_batches_by_number():
    assert sizes(by_number(CHUNKS, 4)) == [["0", "1", "2", "3"], ["4", "5"]]
    assert list(by_number([], 4)) == []


def test_batches_by_documents_keep_a_document_together():
    assert sizes(by_documents(CHUNKS, 2)) == [["0", "1", "2", "3"], ["4", "5"]]
    assert sizes(by_documents(CHUNKS, 1)) == [["0", "1", "2"], ["3"], ["4", "5"]]
