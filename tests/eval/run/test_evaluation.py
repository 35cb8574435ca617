"""Whole runs: real graphs, real collections, few documents."""

import json
import os
from pathlib import Path

import pytest

from khub.components.errors import BindingError, GraphError, KhubError
from khub.components.home import hub_home
from khub.eval.run import asking, scoring
from khub.eval.run.evaluation import Plan, evaluate
from khub.eval.run.golden_set import golden_sets
from tests.eval.run.conftest import ROWS, quiet
from tests.server.hub_files import edit, name_parts, shipped

pytestmark = pytest.mark.integration


def answered(folder, graph="query"):
    return [answer["case_id"] for answer in folder.answers(graph)]


@pytest.fixture
def asked(monkeypatch):
    """The questions that were really asked, in order; from the one of this number on, asking is interrupted."""
    questions = []
    stop = {"after": None}
    ask = asking.ask

    def counted(question, *others):
        if stop["after"] is not None and len(questions) >= stop["after"]:
            raise KeyboardInterrupt
        questions.append(question)
        return ask(question, *others)

    monkeypatch.setattr(asking, "ask", counted)
    return questions, stop


def test_a_run_measures_the_whole_set(run_small):
    folder, report = run_small()
    graph = report["graphs"]["query"]
    hits = graph["metrics"]["hit@5"]
    assert hits["all"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "valid": 3, "total": 3}
    assert {name: f["valid"] for name, f in hits["language"].items()} == {"en": 2, "zh": 1}
    assert {name: f["valid"] for name, f in hits["kind"].items()} == {"fact": 2, "table": 1}
    assert graph["metrics"]["failed"]["all"]["mean"] == 0
    assert graph["metrics"]["abstained_right"]["all"]["total"] == 1
    assert graph["latency"]["valid"] == 4
    assert graph["ingest"] == "ingest_fast"
    assert "khub-fast" in graph["model"]
    assert report["case_ids"] == [row["id"] for row in ROWS]
    assert json.loads((folder.path / "scores.json").read_text(encoding="utf-8"))["case_ids"] == report["case_ids"]
    about = json.loads((folder.path / "run.json").read_text(encoding="utf-8"))
    assert about["finished"]
    assert about["graphs"]["query"]["hash"]


def test_citations_say_where_they_are_from_the_documents_folder(run_small):
    folder, _ = run_small()
    sources = {answer["case_id"]: answer["citations"][0]["relative_source"] for answer in folder.answers("query")[:3]}
    assert sources == {"wade": "birds.md", "trout": "rivers/fish.txt", "hotel": "预算.md"}


def test_the_users_own_hub_is_left_alone(run_small):
    home = os.environ["KHUB_HOME"]
    run_small()
    assert os.environ["KHUB_HOME"] == home
    assert [path.name for path in hub_home().iterdir()] == ["eval"]


def test_a_stopped_run_goes_on_where_it_was(run_small, asked):
    questions, stop = asked
    stop["after"] = 3  # one of them to warm up
    with pytest.raises(KeyboardInterrupt):
        run_small()
    assert len(questions) == 3
    stop["after"] = None
    folder, report = run_small()
    assert answered(folder) == [row["id"] for row in ROWS]
    assert questions[3:] == [ROWS[2]["question"], ROWS[2]["question"], ROWS[3]["question"]]
    assert report["graphs"]["query"]["metrics"]["failed"]["all"]["valid"] == 4
    assert len(list(folder.path.parent.iterdir())) == 1


def test_a_line_that_was_torn_by_a_stop_is_asked_again(run_small, asked):
    questions, stop = asked
    stop["after"] = 3
    with pytest.raises(KeyboardInterrupt):
        run_small()
    [file] = (hub_home() / "eval" / "runs").glob("*/answers-query.jsonl")
    file.write_bytes(file.read_bytes()[:-20])
    stop["after"] = None
    folder, report = run_small()
    assert sorted(answered(folder)) == sorted(row["id"] for row in ROWS)
    assert questions[3:].count(ROWS[1]["question"]) == 2
    assert report["graphs"]["query"]["metrics"]["hit@5"]["all"]["mean"] == 1


def test_a_whole_run_is_measured_anew_unless_resume_is_asked_for(run_small, asked):
    questions, _ = asked
    first, _ = run_small()
    once = len(questions)
    second, _ = run_small()
    assert second.run_id != first.run_id
    assert len(questions) == 2 * once
    third, _ = run_small(resume=True)
    assert third.run_id == second.run_id
    assert len(questions) == 2 * once


def test_fresh_leaves_a_stopped_run_behind(run_small, asked):
    questions, stop = asked
    stop["after"] = 3
    with pytest.raises(KeyboardInterrupt):
        run_small()
    stop["after"] = None
    run_small(resume=False)
    assert len(questions) == 3 + 1 + len(ROWS)


def test_a_stopped_run_is_not_gone_on_with_by_another_graph(run_small, asked, pipelines):
    questions, stop = asked
    stop["after"] = 3
    with pytest.raises(KeyboardInterrupt):
        run_small()
    edit(pipelines / "query.yaml", shipped("query", "sparse_weight: [0-9.]+"), "sparse_weight: 0.1")
    stop["after"] = None
    run_small()
    assert len(questions) == 3 + 1 + len(ROWS)


def test_the_number_of_citations_is_asked_for(run_small):
    folder, report = run_small(top_k=1)
    assert {len(answer["citations"]) for answer in folder.answers("query")[:3]} == {1}
    assert report["top_k"] == 1


def test_graphs_are_asked_by_turns_and_compared(run_small, asked, pipelines):
    text = (pipelines / "query.yaml").read_text(encoding="utf-8")
    (pipelines / "query_blind.yaml").write_text(text.replace("top_k: 30", "top_k: 1"), encoding="utf-8")
    graphs = ("query", "query_blind")
    folder, report = run_small(graphs, compared=[graphs])
    assert answered(folder) == answered(folder, "query_blind") == [row["id"] for row in ROWS]
    assert asked[0][2:6] == [ROWS[0]["question"]] * 2 + [ROWS[1]["question"]] * 2
    [compared] = report["comparisons"]
    hit = next(row for row in compared["rows"] if row["metric"] == "hit@1" and row["group"] == "all")
    assert (hit["pairs"], hit["difference"], hit["p"], hit["better"]) == (3, 0, 1, None)


def test_a_question_that_fails_costs_only_itself(run_small, monkeypatch):
    ask = asking.ask

    def failing(question, *others):
        if "trout" in question:
            raise GraphError("the graph broke", "mend it")
        return ask(question, *others)

    monkeypatch.setattr(asking, "ask", failing)
    folder, report = run_small()
    graph = report["graphs"]["query"]
    assert folder.answers("query")[1] == {"case_id": "trout", "error": "the graph broke: mend it"}
    assert graph["metrics"]["failed"]["all"] | {"low": 0, "high": 0} == {
        "mean": 0.25, "low": 0, "high": 0, "valid": 4, "total": 4,
    }  # fmt: skip
    assert (graph["metrics"]["hit@5"]["all"]["valid"], graph["metrics"]["hit@5"]["all"]["total"]) == (2, 3)
    assert graph["worst"][0]["error"] == "the graph broke: mend it"


def test_a_collection_that_does_not_fit_ends_the_run(run_small, pipelines):
    name_parts(pipelines / "query.yaml", pipelines / "ingest.yaml", embedder="khub-base")
    with pytest.raises(BindingError, match="embed"):
        run_small(resume=False)


def test_a_case_about_a_missing_document_is_refused(documents, golden_file):
    file = golden_file([{"question": "Where?", "source": "rivers/fisch.txt"}])
    with pytest.raises(KhubError, match=r"did you mean 'rivers/fish\.txt'"):
        evaluate(Plan(golden_sets([str(file)]), documents, ["query"]), None, quiet)


@pytest.mark.parametrize("plan", [{"graphs": ("ingest_fast",)}, {"ingest": "query"}, {"judge": "query"}], ids=str)
def test_a_graph_of_another_kind_is_refused_before_any_work(run_small, plan):
    with pytest.raises(GraphError, match="of kind"):
        run_small(**plan)
    assert not hub_home().exists() or not list(hub_home().rglob("answers-*"))


def test_progress_is_told(run_small):
    told = []

    class Shown:
        def __init__(self, what, unit):
            self.what = f"{what} ({unit})"

        def __enter__(self):
            return lambda done, total, more="": told.append((self.what, done, total))

        def __exit__(self, *exception):
            pass

    run_small(shown=Shown)
    assert ("fill a collection by ingest_fast (files)", 3, 3) in told
    assert ("ask query (questions)", 0, 4) in told
    assert ("ask query (questions)", 4, 4) in told
    assert ("judge query (questions)", 4, 4) in told


@pytest.fixture
def judged_sizes(monkeypatch):
    """How many cases each run of the evaluation graph had."""
    sizes, run_graph = [], scoring.run_graph
    monkeypatch.setattr(scoring, "run_graph", lambda g, i: sizes.append(len(i["cases"])) or run_graph(g, i))
    return sizes


def test_a_judge_is_named_and_what_it_could_not_say_is_asked_again(run_small, judged_sizes, monkeypatch):
    monkeypatch.delenv("KHUB_JUDGE_API_KEY", raising=False)  # so it cannot be asked
    monkeypatch.setattr("khub.eval.run.evaluation.JUDGED_AT_A_TIME", 3)
    _, report = run_small(judge="more/evaluate_judged")
    graph = report["graphs"]["query"]
    assert {judge["name"] for judge in graph["judges"]} == {"qwen3:8b at http://127.0.0.1:11434/v1"}
    assert [judge["library"].split()[0] for judge in graph["judges"]] == ["deepeval", "ragas"]
    faithful = graph["metrics"]["deepeval_faithfulness"]["all"]
    assert (faithful["valid"], faithful["total"]) == (0, 3)
    assert graph["metrics"]["hit@5"]["all"]["valid"] == 3
    assert judged_sizes == [3, 1]
    _, again = run_small(judge="more/evaluate_judged", resume=True)
    assert again["graphs"] == report["graphs"]
    assert judged_sizes == [3, 1, 3]


def test_what_is_judged_in_the_end_replaces_what_was_not(run_small, judged_sizes, monkeypatch):
    failures = [{"metric": "hit@5", "case_id": "wade", "reason": "busy"}]
    judge = scoring._judge
    monkeypatch.setattr(scoring, "_judge", lambda *a: {**judge(*a), "failed": list(failures)})
    _, first = run_small()
    failures.clear()
    sizes = [(_report(run_small(resume=True)), len(judged_sizes)) for _ in range(2)]
    assert _report((None, first)) == [{"metric": "hit@5", "case_id": "wade", "reason": "busy"}]
    assert sizes == [([], 2), ([], 2)]


def _report(run):
    return run[1]["graphs"]["query"]["failed"]


def test_a_judging_graph_takes_few_cases_at_a_time_and_is_not_asked_again(run_small, pipelines, monkeypatch):
    monkeypatch.setattr("khub.eval.run.evaluation.JUDGED_AT_A_TIME", 3)
    Path(pipelines / "judged.yaml").write_text((pipelines / "evaluate.yaml").read_text("utf-8"), encoding="utf-8")
    sizes, run_graph = [], scoring.run_graph

    def counted(graph, inputs):
        sizes.append(len(inputs["cases"]))
        if len(sizes) == 2:
            raise KeyboardInterrupt
        return run_graph(graph, inputs)

    monkeypatch.setattr(scoring, "run_graph", counted)
    with pytest.raises(KeyboardInterrupt):
        run_small(judge="judged")
    _, report = run_small(judge="judged")
    assert sizes == [3, 1, 1]
    assert report["evaluation"]["graph"] == "judged"
    assert report["graphs"]["query"]["metrics"]["hit@5"]["all"]["valid"] == 3
