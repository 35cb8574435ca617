"""What a run came to."""

import pytest

from khub.server.traces.outcome import answer_of, file_results, searched_as

pytestmark = pytest.mark.unit


def record(*outputs, **more):
    stages = [{"name": f"s{n}", "start_ms": n, "ms": 1, "output": output} for n, output in enumerate(outputs)]
    return {"query": "and in 2021?", "stages": stages, **more}


def test_the_last_answer_counts():
    first, last = {"citations": [], "answer": "a"}, {"citations": [{"chunk_id": "x"}]}
    assert answer_of(record({"answer": first}, {"answer": last}, {"answer": "words"})) == last
    assert answer_of(record({"answer": {"chars": 3}})) is None


def test_what_a_question_became():
    rewritten = "What was the revenue in 2021?"
    assert searched_as(record({"query": rewritten}, {"question": {"searched": rewritten}})) == rewritten
    assert searched_as(record({"query": "and in 2021?"}, {"question": {"asked": "and in 2021?"}})) is None


def test_what_became_of_files():
    failed = {"source": "b.pdf", "stage": "convert", "error": "is damaged", "remedy": "replace it"}
    report = {"written": [{"doc_id": "1", "source": "a.md", "pages": None, "chunks": 2}], "failed": [failed]}
    found = file_results(
        record(
            {"unchanged": ["c.md"], "failed": []}, {"failed": [failed]}, {"report": report}, sources=["a.md", "d.md"]
        )
    )
    assert {source: about["result"] for source, about in found.items()} == {
        "a.md": "written",
        "d.md": "unknown",
        "c.md": "unchanged",
        "b.pdf": "failed",
    }
    assert found["b.pdf"]["remedy"] == "replace it"
    many = {"report": {"written": {"count": 30, "items": [{"doc_id": "1", "source": "a.md"}]}, "failed": {"count": 2}}}
    assert file_results(record(many))["a.md"]["doc_id"] == "1"
