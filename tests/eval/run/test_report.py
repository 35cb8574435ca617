"""The files of a report, made of the answers to a few questions."""

import json
from html.parser import HTMLParser

import pytest

from khub.eval.cases import Case
from khub.eval.run.comparison import columns_of, compare
from khub.eval.run.figures import figures
from khub.eval.run.history import add_to_history
from khub.eval.run.html import html
from khub.eval.run.markdown import markdown
from khub.eval.run.report import write_report
from khub.eval.run.scoring import Scores
from khub.eval.run.worst import worst_questions

pytestmark = pytest.mark.unit

EVIL = "<script>alert('x')</script> | **bold** [link](http://example.com)"
CASES = [
    Case.from_dict({"id": "c1", "question": EVIL, "source": "a.pdf", "page": 2, "evidence": "a | b"}),
    Case.from_dict({"id": "c2", "question": "酒店上限是多少？", "source": "b.md", "kind": "table", "answer": "六百元"}),
    Case.from_dict({"id": "c3", "question": "Who?"}),
]
CITED = {"relative_source": "z.md", "page": None, "section": "Z", "text": EVIL}
ANSWERS = [
    {"abstained": False, "confidence": 0.5, "citations": [CITED]},
    {"error": "it <b>broke</b>"},
    {"abstained": True, "confidence": 0.0, "citations": []},
]


def graph(ndcg, latency):
    values = {
        "hit@5": [ndcg, None, None],
        "hit@10": [ndcg, None, None],
        "ndcg@10": [ndcg, None, None],
        "latency_ms": [latency, None, latency * 3],
        "failed": [0.0, 1.0, 0.0],
        "faithfulness": [0.5, None, None],
    }
    scores = Scores(values, [{"metric": "ndcg@10", "case_id": "c2", "reason": "it <b>broke</b>"}])
    set_of = {"c1": "one", "c2": "one", "c3": "two"}
    return {
        "hash": "h", "ingest": "ingest_fast", "model": "static",
        "collection": {"key": "k", "files": 3, "failed": [{"source": "bad.pdf", "error": "torn"}], "seconds": 1.0},
        **figures(CASES, set_of, scores), **worst_questions(CASES, ANSWERS, scores), "scores": values,
        "judges": [{"name": "llama <8b>", "library": "deepeval 4.0.0", "metrics": ["faithfulness"]}],
    }  # fmt: skip


def made(run_id="r1", ndcg=0.0):
    graphs = {"query": graph(ndcg, 12.0), "query_other": graph(1.0, 3.0)}
    columns = [columns_of([case.id for case in CASES], one["scores"]) for one in graphs.values()]
    return {
        "run_id": run_id, "started": "2030-01-01T10:00", "finished": "2030-01-01T10:05", "machine": "2 cores",
        "versions": {"haystack-ai": "3.4"}, "top_k": 10, "case_ids": [case.id for case in CASES],
        "sets": [{"name": "one", "cases": 2}, {"name": "two", "cases": 1}],
        "documents": {"folder": "docs", "hash": "d"}, "evaluation": {"graph": "evaluate", "hash": "e"},
        "graphs": graphs, "comparisons": [compare(CASES, ("query", "query_other"), *columns)],
    }  # fmt: skip


VOID = ("meta", "line", "circle", "polygon", "polyline")


class Page(HTMLParser):
    """Collects tags, texts and addresses, and refuses tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.addresses, self.texts = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_all_files_are_written(tmp_path):
    files = write_report(tmp_path / "out", made())
    assert [file.name for file in files] == ["report.json", "report.md", "report.html"]
    assert json.loads(files[0].read_text(encoding="utf-8"))["graphs"]["query"]["metrics"]["hit@5"]["all"]["mean"] == 0
    assert (tmp_path / "out" / "history.jsonl").is_file()


def test_markdown_tells_figures_with_their_denominators():
    text = markdown(made())
    assert "| ndcg@10 ↑ | 0.000 (0.000–0.000) 1/2 | 1.000 (1.000–1.000) 1/2 |" in text
    assert "| query | 24.0 |" in text
    assert "faithfulness ↑" in text
    assert "## Compared: A = query, B = query_other" in text
    assert "- bad.pdf: torn" in text
    assert "Of all questions: 1 failed, 1 not found" in text
    assert "found 1: `z.md`" in text


def test_a_judge_is_named_once_however_many_graphs_it_judged(tmp_path):
    report = made()
    told = "llama <8b>, by deepeval 4.0.0: faithfulness"
    assert markdown(report).count(told.replace("<", "\\<").replace(">", "\\>")) == 1
    assert Page(html(report, [])).texts.count(told) == 1
    report_json, *_ = write_report(tmp_path, report)
    [judge] = json.loads(report_json.read_text(encoding="utf-8"))["graphs"]["query"]["judges"]
    assert judge["name"] == "llama <8b>"


def test_markdown_keeps_retrieved_text_text():
    text = markdown(made())
    assert "<script>" not in text
    assert "[link](" not in text
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len({row.count("|") - row.count("\\|") for row in rows if "broke" in row}) == 1


def test_markdown_fits_into_a_comment():
    report = made()
    report["graphs"]["query"]["worst"] *= 10
    text = markdown(report)
    assert text.split("## query_other\n")[0].count("): not found\n") == 3


def test_the_page_holds_everything_in_itself_and_nothing_that_runs():
    page = Page(html(made(), []))
    assert page.addresses == []
    assert "script" not in page.tags
    assert EVIL in " ".join(page.texts)
    assert page.tags.count("svg") > 5
    assert "酒店上限是多少？" in page.texts


def test_the_page_tells_what_the_markdown_tells():
    text = " ".join(Page(html(made(), [])).texts)
    for told in ("1.000 (1.000–1.000) 1/2", "it <b>broke</b>", "bad.pdf", "not found", "z.md"):
        assert told in text


def test_a_page_of_one_graph_without_any_answer_can_be_made():
    report = made()
    report["comparisons"] = []
    del report["graphs"]["query_other"]
    one = report["graphs"]["query"]
    one["latency"], one["scores"] = None, {"latency_ms": [None] * 3}
    assert Page(html(report, [])).tags
    assert markdown(report)


def test_history_has_one_line_per_run_and_graph(tmp_path):
    add_to_history(tmp_path, made("r1"))
    add_to_history(tmp_path, made("r2"))
    rows = add_to_history(tmp_path, made("r2", ndcg=0.5))
    assert [(row["run_id"], row["graph"]) for row in rows] == [
        ("r1", "query"), ("r1", "query_other"), ("r2", "query"), ("r2", "query_other"),
    ]  # fmt: skip
    assert rows[2]["figures"]["ndcg@10"] == {"mean": 0.5, "low": 0.5, "high": 0.5, "valid": 1, "total": 2}
    assert [json.loads(line) for line in (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()] == rows


def test_the_page_follows_a_graph_over_time(tmp_path):
    report = made()
    once = Page(html(report, add_to_history(tmp_path, report)))
    twice = Page(html(report, add_to_history(tmp_path, made("r2"))))
    assert "Over time" not in once.texts
    assert "Over time" in twice.texts
    other = [{**row, "sets": {"another": 5}} for row in add_to_history(tmp_path, made("r3"))]
    assert "Over time" not in Page(html(report, other)).texts
