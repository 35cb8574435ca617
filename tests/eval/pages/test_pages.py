"""`khub eval pages` on small PDFs, through the real graphs."""

import pytest
import yaml

from khub.components.home import hub_home
from khub.server.graphs.load import find_graph
from tests.server.hub_files import copy_pipelines, name_parts

pytestmark = pytest.mark.integration
FAST = ("--graph", "query", "--ingest", "ingest_fast")
WITHIN = 2  # questions that are put to the named document, too: those with evidence


def with_confidence(folder, least):
    data = yaml.safe_load(find_graph("query").read_text(encoding="utf-8"))
    data["components"]["answer"]["init_parameters"]["min_confidence"] = least
    file = folder / "query.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return ("--graph", str(file), *FAST[2:])


def mean(result, metric, of="ranked"):
    return result[of][metric]["mean"]


def test_pages_and_abstention(khub, page_set):
    run = khub(page_set(), *FAST)
    assert run.exit_code == 0, run.output
    [result] = run.report["results"]
    assert mean(result, "recall@5") == mean(result, "recall@20") == mean(result, "documents@10") == 1
    assert (result["ranked"]["recall@1"]["valid"], result["ranked"]["recall@1"]["total"]) == (2, 2)
    assert (result["abstained_right"]["total"], result["abstained_wrong"]["total"]) == (1, 2)
    right, wrong = result["abstained_right"], result["abstained_wrong"]
    assert result["abstained"] == right["mean"] + 2 * wrong["mean"]  # how sure it has to be is measured elsewhere
    [made] = run.report["collections"]
    assert (made["ingest"], made["files"], made["chunks"], made["failed"]) == ("ingest_fast", 2, 10, [])
    assert "| query | all documents | ranking | 2/2 | " in run.stdout
    assert run.stdout.strip() == (hub_home().parent / "out" / "pages.md").read_text(encoding="utf-8").strip()


def test_a_wrong_page_is_no_hit(khub, page_set):
    wrong = {"id": "q", "question": "Where do kingfishers nest?", "evidence": [{"source": "birds.pdf", "page": 9}]}
    [result] = khub(page_set(questions=[wrong]), *FAST).report["results"]
    assert (mean(result, "recall@20"), mean(result, "documents@10")) == (0, 1)


def test_abstaining_does_not_hide_the_ranking(khub, page_set, tmp_path):
    [result] = khub(page_set(), *with_confidence(tmp_path, 1.01)).report["results"]
    assert (result["abstained_right"]["mean"], result["abstained_wrong"]["mean"]) == (1, 1)
    assert (mean(result, "recall@5"), mean(result, "recall@5", "answered")) == (1, 0)


def test_never_abstaining_is_seen(khub, page_set, tmp_path):
    [result] = khub(page_set(), *with_confidence(tmp_path, 0.0)).report["results"]
    assert (result["abstained_right"]["mean"], result["abstained_wrong"]["mean"]) == (0, 0)


def test_a_stopped_command_goes_on_and_a_finished_one_begins_anew(khub, page_set, asked):
    folder = page_set()
    asked.stop_at = 2
    assert khub(folder, *FAST).exit_code != 0
    asked.stop_at = None
    run = khub(folder, *FAST)
    assert run.exit_code == 0, run.output
    assert len(asked) == 2 + 2 + WITHIN
    assert "ingest through" not in run.stderr
    khub(folder, *FAST)
    assert len(asked) == 4 + 3 + 2 * WITHIN


def test_fresh_forgets_what_was_asked(khub, page_set, asked):
    folder = page_set()
    asked.stop_at = 3
    khub(folder, *FAST)
    asked.stop_at = None
    khub(folder, *FAST, "--fresh")
    assert len(asked) == 3 + 3 + WITHIN


def test_an_ingest_that_was_stopped_goes_on(khub, page_set, monkeypatch):
    from khub.server.library import ingest

    run_batch, batches = ingest._run_batch, []

    def stopping(graph, batch, *arguments):
        batches.append([file.rpartition("/")[2].rpartition("\\")[2] for file in batch])
        if len(batches) == 2:
            raise KeyboardInterrupt
        return run_batch(graph, batch, *arguments)

    monkeypatch.setattr(ingest, "BATCH_FILES", 1)
    monkeypatch.setattr(ingest, "_run_batch", stopping)
    folder = page_set()
    assert khub(folder, *FAST).exit_code != 0
    run = khub(folder, *FAST)
    assert run.exit_code == 0, run.output
    assert batches == [["birds.pdf"], ["robots.pdf"], ["birds.pdf"], ["robots.pdf"]]
    assert run.report["collections"][0]["chunks"] == 10
    assert run.report["collections"][0]["files"] == 2


def test_a_document_that_cannot_be_read_is_named_and_its_evidence_is_missed(khub, page_set):
    folder = page_set()
    (folder / "documents" / "birds.pdf").write_bytes(b"%PDF-1.7 damaged")
    run = khub(folder, *FAST)
    [result] = run.report["results"]
    assert mean(result, "recall@20") == 0.5
    assert [failed["source"] for failed in run.report["collections"][0]["failed"]] == ["birds.pdf"]
    assert "birds.pdf:" in run.stdout


def test_nothing_to_read_is_an_error(khub, page_set):
    folder = page_set()
    for name in ("birds.pdf", "more/robots.pdf"):
        (folder / "documents" / name).write_bytes(b"%PDF-1.7 damaged")
    for _ in range(2):
        run = khub(folder, *FAST)
        assert run.exception.code == "evaluation_failed"
        assert "small" in str(run.exception)
        assert "ingest through" in run.stderr  # it is tried again each time


def test_a_question_that_fails_is_left_out_and_told(khub, page_set):
    bad = {"id": "q", "question": "?!", "evidence": [{"source": "birds.pdf", "page": 1}]}
    good = {"id": "r", "question": "Where do kingfishers nest?", "evidence": [{"source": "birds.pdf", "page": 2}]}
    run = khub(page_set(questions=[bad, good]), *FAST)
    assert run.exit_code == 1
    [result] = run.report["results"]
    assert [failed["id"] for failed in result["failed"]] == ["q"]
    assert (result["ranked"]["recall@1"]["valid"], result["ranked"]["recall@1"]["total"]) == (1, 2)


def test_graphs_side_by_side_and_the_ingest_graph_that_fits(khub, page_set, tmp_path):
    folder = copy_pipelines(tmp_path)
    fast, base = folder / "fast.yaml", folder / "query.yaml"
    fast.write_bytes(base.read_bytes())
    name_parts(fast, folder / "ingest_fast.yaml", embedder="khub-fast")
    run = khub(page_set(), "--graph", fast, "--graph", "query")
    assert run.exit_code == 0, run.output
    assert [(r["graph"], r["ingest"]) for r in run.report["results"]] == [
        (str(fast), "ingest_fast"),
        ("query", "ingest"),
    ]
    assert [made["ingest"] for made in run.report["collections"]] == ["ingest_fast", "ingest"]
    wrong = khub(page_set("other"), "--graph", fast, "--ingest", "ingest")
    assert type(wrong.exception).__name__ == "BindingError"


def test_a_graph_beside_itself_with_other_values(khub, page_set):
    run = khub(page_set(), *FAST, "--set", "answer.min_confidence=0.0,1.01")
    assert run.exit_code == 0, run.output
    _, never, always = run.report["results"]
    assert (never["graph"], always["graph"]) == (
        "query, answer.min_confidence=0.0", "query, answer.min_confidence=1.01"
    )  # fmt: skip
    assert (never["abstained_wrong"]["mean"], always["abstained_wrong"]["mean"]) == (0, 1)
    assert mean(never, "recall@5") == mean(always, "recall@5") == 1
