import pytest

from khub.eval.lab.comparison.report import markdown

pytestmark = pytest.mark.unit


def lines(text, *parts):
    return [line for line in text.splitlines() if all(part in line for part in parts)]


def test_all_tables_are_written_from_the_results(results):
    text = markdown(results)
    assert "haystack-ai 3.4.0" in text
    assert "hit@10" in text
    assert "| bar, at 100,000 chunks | 1,000 | 100,000 | met |" in text
    assert "| 1,000 | khub (query) | 10.00 | 12.00 | 15.50 | 98.5% | 300 | 200 | 0 | 2026-01-02 |" in text
    ingest = "1,000 | 1,250 | 1.00 | 0.50 | 0.30 | 0.20 | – | – | 12.5 | 250 | 2026-01-02 |"
    assert lines(text, "| 1,000 | LangChain", ingest)
    assert lines(text, "| 1,000 | khub", "| 1.25 | 0.50 | 0.25 | 0.50 | 200 |")
    assert "| 1,000 | 4.00 | 3.00 | 9.50 |" in text
    assert "| 1,000 | 0.50 | 3.00 |" in text
    assert "275 chunks/s (1,100 chunks of 40 files in 4.0 s, 1 failed, peak 260 MB)" in text
    assert "None" not in text


def test_a_failure_is_told_and_in_no_table(results):
    results["data_sets"]["1000"]["haystack"]["query"] = {"error": "it has found 0 of 200", "date": "2026-01-02"}
    text = markdown(results)
    assert "- 1,000, Haystack InMemoryDocumentStore, hybrid, query: it has found 0 of 200" in text
    assert len(lines(text, "| 1,000 | Haystack", "98.5%")) == 0
    assert len(lines(text, "| 100,000 | Haystack", "98.5%")) == 1


def test_what_was_not_measured_has_no_rows(results):
    results["data_sets"] = {"1000": {"hub": {"query": results["data_sets"]["1000"]["hub"]["query"]}}, "5": {}}
    text = markdown(results)
    assert text.count("Not measured.") == 2
    assert "Ingest of files" not in text
    assert len(lines(text, "not measured |")) == 4
