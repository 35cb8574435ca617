"""The plain systems that `khub eval pages --baselines` measures beside the graphs."""

import sys

import numpy as np
import pytest

from components.errors import MissingLibraryError
from eval.pages.ahead import ahead_of
from eval.pages.baselines import page_texts as converted
from eval.pages.baselines import systems
from eval.pages.baselines.page_texts import Page, page_texts
from eval.pages.baselines.systems import BM25, MINILM, RRF, Baselines, chunks_of
from eval.pages.baselines.words import words
from eval.pages.metrics import METRICS

PAGES = [
    Page("birds.pdf", 1, "Herons wade in shallow water."),
    Page("birds.pdf", 2, "Kingfishers nest in steep banks."),
    Page("robots.pdf", 1, "The battery of the robot lasts. It has no nest."),
    Page("robots.pdf", 2, "The left arm lifts forty kilograms."),
]


@pytest.mark.unit
def test_words_are_lower_cased_and_not_stemmed():
    assert words("The Owls' R-2 hunts, 3.5 kg") == ["the", "owls", "r", "2", "hunts", "3", "5", "kg"]


@pytest.mark.unit
def test_chinese_words_come_from_jieba(monkeypatch):
    if "jieba" in sys.modules or _importable("jieba"):
        assert words("Kafka消息队列") == ["kafka", "消息", "队列"]
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingLibraryError, match="jieba"):
        words("消息队列")


@pytest.mark.unit
def test_chunks_overlap_and_stay_in_their_page():
    lines = "\n".join(f"Line {number:03} tells of the weather." for number in range(60))
    chunks = chunks_of([Page("a.pdf", 1, lines), Page("a.pdf", 2, " \n"), Page("a.pdf", 3, "A short page.")])
    assert [chunk.page for chunk in chunks] == [1, 1, 1, 3]
    assert all(len(chunk.text) <= 800 for chunk in chunks)
    assert chunks[1].text[:100] in chunks[0].text
    assert chunks[-1].text == "A short page."


@pytest.mark.unit
def test_bm25_over_all_documents_and_within_one():
    plain = Baselines(PAGES, None)
    assert set(plain.ask("Where do kingfishers nest?", None, 5)) == {BM25}
    assert plain.ask("Where do KINGFISHERS nest?", None, 1)[BM25] == [["birds.pdf", 2]]
    within = plain.ask("What lifts?", ["robots.pdf"], 5)[BM25]
    assert within == [["robots.pdf", 2], ["robots.pdf", 1]]
    assert plain.ask("?", None, 2)[BM25] == []


@pytest.mark.unit
def test_what_bm25_found_is_kept(monkeypatch):
    found = Baselines(PAGES, None).ask("What lifts?", None, 4)
    again = Baselines(PAGES, None)
    monkeypatch.setattr(again, "_keywords", None)
    assert again.ask("What lifts?", None, 4) == found
    with pytest.raises(AttributeError):
        again.ask("What wades?", None, 4)


class LetterModel:
    """Counts letters: a model that needs no library."""

    fingerprint = "letters"
    encoded = 0

    def __init__(self, folder, threads, bfloat16):
        pass

    def encode(self, texts):
        type(self).encoded += len(texts)
        return np.array([[text.lower().count(letter) for letter in "kz"] for text in texts], dtype=float)


@pytest.mark.unit
def test_vectors_and_the_fusion_of_both(monkeypatch, tmp_path):
    monkeypatch.setattr(systems, "ReferenceModel", LetterModel)
    plain = Baselines(PAGES, tmp_path)
    found = plain.ask("k battery", None, 4)
    assert found[BM25][0] == ["robots.pdf", 1]
    assert found[MINILM] == [["birds.pdf", 2], ["robots.pdf", 2], ["birds.pdf", 1], ["robots.pdf", 1]]
    assert found[RRF][0] == ["birds.pdf", 2]  # second and first
    assert plain.ask("k", ["birds.pdf"], 4)[MINILM] == [["birds.pdf", 2], ["birds.pdf", 1]]
    LetterModel.encoded = 0
    Baselines(PAGES, tmp_path)
    assert LetterModel.encoded == 0  # what was embedded once is kept


@pytest.mark.integration
def test_markitdown_reads_page_by_page_and_once(page_set, monkeypatch):
    documents = page_set() / "documents"
    (documents / "damaged.pdf").write_bytes(b"%PDF-1.7 damaged")
    (documents / "note.md").write_text("# Note\n\nNo pages here.\n", encoding="utf-8")
    pages, failed = page_texts("small", documents)
    assert [(page.source, page.page) for page in pages] == [
        ("birds.pdf", 1), ("birds.pdf", 2), ("birds.pdf", 3), ("more/robots.pdf", 1), ("more/robots.pdf", 2),
        ("note.md", None),
    ]  # fmt: skip
    assert "Kingfishers" in pages[1].text
    assert "Herons" not in pages[1].text
    assert [failure["source"] for failure in failed] == ["damaged.pdf"]
    monkeypatch.setattr(converted, "_parts", None)
    assert page_texts("small", documents) == (pages, failed)


@pytest.mark.unit
def test_how_far_ahead():
    def scores(*values):
        return {"all": {metric: list(values) for metric in METRICS}}

    rows = ahead_of({"query": scores(1.0, 1.0, None, 0.0)}, {"plain": scores(0.0, 1.0, 1.0, 0.0)})
    assert [(row["metric"], row["scope"], row["valid"], row["total"]) for row in rows] == [
        ("recall@10", "all", 3, 4), ("hit@10", "all", 3, 4)
    ]  # fmt: skip
    assert rows[0]["mean"] == pytest.approx(1 / 3)
    assert rows[0]["p"] == 1.0


@pytest.mark.integration
def test_baselines_beside_a_graph_over_all_documents_and_within_one(khub, page_set):
    run = khub(page_set(), "--graph", "query", "--ingest", "ingest_fast", "--baselines")
    assert run.exit_code == 0, run.output
    [plain] = run.report["baselines"]
    [result] = run.report["results"]
    assert plain["name"] == BM25
    for measured in (plain["all"], plain["named"], result["ranked"], result["named"]):
        assert (measured["hit@10"]["mean"], measured["hit@10"]["valid"]) == (1, 2)
    assert plain["named"]["documents@10"]["mean"] == 1
    assert {(row["scope"], row["metric"]) for row in run.report["ahead"]} == {
        (scope, metric) for scope in ("all", "named") for metric in ("recall@10", "hit@10")
    }  # fmt: skip
    assert "| MarkItDown + BM25 | the named document | ranking | 2/2 | " in run.stdout


@pytest.mark.integration
def test_the_named_document_alone_is_searched(khub, page_set):
    """The question is answered better elsewhere: over all documents the page is found last, within its own first."""
    question = {
        "id": "q",
        "question": "Where do kingfishers nest?",
        "evidence": [{"source": "more/robots.pdf", "page": 2}],
    }
    [result] = khub(page_set(questions=[question]), "--graph", "query", "--ingest", "ingest_fast").report["results"]
    assert result["ranked"]["recall@1"]["mean"] == 0
    assert result["named"]["documents@10"]["mean"] == result["named"]["recall@20"]["mean"] == 1


@pytest.mark.unit
def test_a_model_without_baselines_is_refused(khub, page_set, tmp_path):
    run = khub(page_set(), "--graph", "query", "--ingest", "ingest_fast", "--minilm", tmp_path)
    assert "add --baselines" in str(run.exception)


def _importable(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None
