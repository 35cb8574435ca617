"""What the evaluation page shows of runs that lie in the hub, what it starts, and to whom."""

import json
from pathlib import Path

import pytest

from khub.components.catalog.access import Caller
from khub.eval.background import task as background
from khub.eval.background.task import CANCELLED, FAILED, FINISHED, GATE, INTERRUPTED, KHUB, Task
from khub.eval.cases import Case
from khub.eval.run.evaluation import Plan, evaluate
from khub.eval.run.golden_set import golden_sets
from khub.eval.run.kept_runs import kept_runs
from khub.eval.run.own_collection import folder_of
from khub.eval.run.report import write_report
from khub.server.http.tokens import Access
from tests.dashboard.conftest import COLLECTION, texts
from tests.eval.run.conftest import quiet

pytestmark = pytest.mark.integration
VIEWS = ("runs", "start", "compare", "worst", "cases", "ablation", "gate")
ROWS = (
    ("herons", "Where do herons wade?", "herons.md", "shallow water"),
    ("hotel", "酒店每晚上限是多少？", "预算.md", "酒店每晚上限为六百元"),
    ("lost", "How do herons wade?", "herons.md", "owls sleep in barns"),
)


@pytest.fixture
def golden(hub, made_hub):
    """A golden set about the hub's documents, in the hub's home."""
    file = hub / "eval" / "golden.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = folder_of(COLLECTION)
    names = {path.name: path.relative_to(folder).as_posix() for path in (made_hub.parent / "files").iterdir()}
    rows = [
        {"id": key, "question": question, "source": names[name], "evidence": evidence}
        for key, question, name, evidence in ROWS
    ]
    rows.append({"id": "none", "question": "zzyzx qwfpgj vmkjh?", "kind": "unanswerable"})
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def run(golden):
    """Return a function that evaluates it on the hub's own collection."""

    def made(top_k=10):
        sets = golden_sets([str(golden)])
        plan = Plan(sets, folder_of(COLLECTION), ["query"], top_k=top_k, collection=COLLECTION)
        folder, report = evaluate(plan, False, quiet)
        write_report(folder.path, report)
        return folder, report

    return made


@pytest.fixture
def started(monkeypatch):
    """What the page would have started."""
    found = []
    for module in ("evaluation_start", "evaluation_ablation", "evaluation_gate"):
        monkeypatch.setattr(f"khub.dashboard.parts.evaluation.{module}.start", lambda *command: found.append(command))
    return found


def let_in(monkeypatch, access, who):
    for module in ("khub.dashboard.page", "khub.dashboard.visitor"):
        monkeypatch.setattr(f"{module}.visitor", lambda: (access, who))


def a_task(hub, state, words=("eval", "run"), program=KHUB, said=""):
    folder = hub / "eval" / "tasks" / "20260101-000000-aa"
    folder.mkdir(parents=True)
    about = {"program": program, "words": list(words), "started": "2026-01-01T00:00:00+00:00", "caller": ""}
    (folder / "task.json").write_text(json.dumps(about), encoding="utf-8")
    (folder / "log.txt").write_text(said, encoding="utf-8")
    (folder / "began").touch()
    if state in (FINISHED, FAILED):
        Task(folder).end(0 if state == FINISHED else 1)
    if state == CANCELLED:
        Task(folder).cancel()
    return Task(folder)


def button(page, label):
    return next(one for one in page.button if one.label == label)


@pytest.mark.parametrize("view", VIEWS)
def test_a_hub_without_evaluations_opens(hub, open_page, view):
    language = "zh" if VIEWS.index(view) % 2 else "en"
    assert not open_page("evaluation", language, view=view).error


@pytest.mark.parametrize("who", [Caller("ann", ("public",), None), Caller("ann", None, frozenset({COLLECTION}))])
def test_who_does_not_see_all_sees_nothing(golden, hub, open_page, monkeypatch, who):
    a_task(hub, FAILED)
    let_in(monkeypatch, Access.WRITE, who)
    page = open_page("evaluation", view="start")
    assert len(page.info) == 1
    assert not page.dataframe
    assert not page.button
    assert not page.button_group


def test_who_may_only_read_starts_nothing(golden, open_page, monkeypatch):
    let_in(monkeypatch, Access.READ, Caller())
    for view, label in (("start", "Start"), ("ablation", "Start the ablation"), ("gate", "Run the gate")):
        assert button(open_page("evaluation", view=view), label).disabled


def test_a_run_shows_its_figures_with_their_denominators(run, open_page):
    _, report = run()
    page = open_page("evaluation", view="runs")
    history, overall = (page.dataframe[place].value for place in (0, 1))
    assert history["graph"].tolist() == ["query"]
    hits = report["graphs"]["query"]["metrics"]["hit@5"]["all"]
    row = overall.set_index("metric").loc["hit@5 ↑", "query"]
    assert row.startswith(f"{hits['mean']:.3f}")
    assert row.endswith(f"{hits['valid']}/{hits['total']}")
    assert page.main.selectbox[0].value.run_id == page.query_params["run"]


def test_figures_are_followed_over_time(run, open_page):
    run()
    assert not open_page("evaluation", view="runs").get("vega_lite_chart")
    run(top_k=9)
    assert open_page("evaluation", view="runs").get("vega_lite_chart")


def test_two_runs_are_compared_question_by_question(run, open_page):
    first, _ = run()
    second, _ = run(top_k=9)
    scores = json.loads((second.path / "report.json").read_text(encoding="utf-8"))
    column = scores["graphs"]["query"]["scores"]["ndcg@10"]
    column[scores["case_ids"].index("herons")] = 0.0
    (second.path / "report.json").write_text(json.dumps(scores), encoding="utf-8")
    page = open_page("evaluation", view="compare")
    assert [page.main.selectbox[place].value for place in (0, 1)] == [f"{one.run_id}#query" for one in (first, second)]
    significance, questions = (page.dataframe[place].value for place in (0, 1))
    assert "p" in significance
    assert questions["question"].tolist() == ["Where do herons wade?"]
    assert (questions["A"].tolist(), questions["B"].tolist()) == (["1.000"], ["0.000"])


def test_runs_without_a_common_question_are_not_compared(run, golden, open_page):
    run()
    golden.write_text(golden.read_text(encoding="utf-8").replace("herons wade", "the herons walk"), encoding="utf-8")
    golden.write_text("\n".join(golden.read_text(encoding="utf-8").splitlines()[:1]), encoding="utf-8")
    run()
    page = open_page("evaluation", view="compare")
    assert page.error


def test_the_worst_questions_show_what_was_found_instead(run, open_page):
    _, report = run()
    lost = next(row for row in report["graphs"]["query"]["worst"] if row["case_id"] == "lost")
    assert lost["trace_id"]
    page = open_page("evaluation", view="worst")
    problems = next(one for one in page.button_group if one.label == "What went wrong")
    problems.set_value(lost["problem"]).run()
    said = texts(page)
    assert "How do herons wade?" in said
    assert "owls sleep in barns" in said
    assert lost["found"][0]["text"] in said
    assert f"trace={lost['trace_id']}" in {link.proto.query_string for link in page.main.get("page_link")}


def test_a_damaged_run_costs_itself_alone(run, hub, open_page):
    folder, _ = run()
    (hub / "eval" / "runs" / "20200101-broken").mkdir()
    page = open_page("evaluation", view="runs")
    assert len(page.expander) >= 2
    assert len(page.dataframe[0].value) == 1
    (folder.path / "report.json").write_text("{", encoding="utf-8")
    assert open_page("evaluation", view="runs").error


def test_the_chosen_things_are_started(golden, open_page, started):
    page = open_page("evaluation", view="start")
    button(page, "Start").click().run()
    [(program, words)] = started
    assert program == KHUB
    assert words[:4] == ["eval", "run", "--set", str(golden)]
    assert words[words.index("--collection") + 1] == COLLECTION
    assert words[words.index("--documents") + 1] == str(folder_of(COLLECTION))
    assert words[words.index("--graph") + 1] == "query"


def test_a_token_starts_nothing_over_folders_that_it_may_not_ingest(golden, open_page, started, monkeypatch, tmp_path):
    let_in(monkeypatch, Access.WRITE, Caller("ann"))
    private, shared = tmp_path / "private", tmp_path / "shared"
    monkeypatch.setenv("KHUB_INGEST_ROOTS", str(shared))
    for folder in (private, shared):
        folder.mkdir()
        page = open_page("evaluation", view="start")
        page.radio[0].set_value("filled").run()
        next(one for one in page.text_input if one.label == "Folder of the documents").set_value(str(folder)).run()
        if not page.error:
            button(page, "Start").click().run()
        page = open_page("evaluation", view="ablation")
        page.text_area[0].set_value(str(folder)).run()
        if not page.error:
            button(page, "Start the ablation").click().run()
    assert [str(shared) in words for _, words in started] == [True, True]


def test_a_broken_golden_set_is_said(golden, open_page, hub):
    (hub / "eval" / "other.jsonl").write_text("{", encoding="utf-8")
    page = open_page("evaluation", view="start")
    assert page.warning
    assert "other.jsonl" in texts(page)


def test_a_failed_evaluation_shows_its_error_with_the_remedy(hub, open_page):
    a_task(hub, FAILED, said="ask query 1/4 questions\nkhub: there is no collection 'x': take one of: demo\n")
    assert "there is no collection 'x': take one of: demo" in texts(open_page("evaluation", view="start"))
    assert "there is no collection" not in texts(open_page("evaluation", view="runs"))


def test_one_that_ended_well_leads_to_its_results(hub, open_page):
    a_task(hub, FINISHED)
    page = open_page("evaluation", view="start")
    assert "view=runs" in {link.proto.query_string for link in page.main.get("page_link")}


@pytest.mark.parametrize("state", [CANCELLED, INTERRUPTED])
def test_one_that_was_stopped_is_told_of(hub, open_page, state):
    assert a_task(hub, state).state() == state
    assert state in texts(open_page("evaluation", view="start"))


def test_a_running_one_can_be_cancelled(hub, open_page, monkeypatch):
    task = a_task(hub, INTERRUPTED, said="ask query 3/4 questions, 2 s left\n")
    monkeypatch.setattr(Task, "state", lambda self: background.RUNNING)
    page = open_page("evaluation", view="runs")
    assert "ask query" in texts(page)
    button(page, "Cancel").click().run()
    assert task.is_cancelled()


GATE_TABLE = """## Gate: fails on mrr@10

- mrr@10 is 0.700, to be ≥ 0.800

| metric | result | bound | now | before | p |
| --- | --- | ---: | ---: | ---: | ---: |
| hit@5 | passes | ≥ 0.900 | 0.950 (0.900–1.000) 10/10 | 0.940 | 1.0000 |
| mrr@10 | FAILS | ≥ 0.800 | 0.700 (0.600–0.800) 10/10 | – | – |

Means over all questions.
"""


def test_the_gate_shows_each_metrics_verdict(hub, open_page, started):
    task = a_task(hub, FAILED, ("/gate",), GATE)
    task.table.write_text(GATE_TABLE, encoding="utf-8")
    page = open_page("evaluation", view="gate")
    assert page.error
    assert "mrr@10 is 0.700, to be ≥ 0.800" in texts(page)
    assert page.dataframe[0].value["result"].tolist() == ["passes", "FAILS"]
    button(page, "Run the gate").click().run()
    assert started[0][0] == GATE
    task.table.write_text(GATE_TABLE.replace("- mrr@10 is 0.700, to be ≥ 0.800\n\n", "").replace("FAILS", "passes"))
    page = open_page("evaluation", view="gate")
    assert page.success
    assert not page.error


def test_the_newest_ablation_is_shown_and_another_started(hub, open_page, started):
    folder = hub / "eval" / "ablate" / "0123"
    folder.mkdir(parents=True)
    figures = {"mean": 0.9, "low": 0.8, "high": 1.0, "valid": 9, "total": 9}
    apart = {"mean": -0.05, "p": 0.01}
    row = {"remarks": [], "failed": 0, "degraded": 0, "cpu_ms": {"mean": 12.5}, "mean": apart}
    rows = [
        {**row, "label": "as it stands", "sets": {"own": {"figures": figures, "difference": {"mean": 0.0, "p": 1.0}}}},
        {**row, "label": "without rerank", "sets": {"own": {"figures": figures, "difference": apart}}},
        {"label": "without answer", "refused": "it gives the graph's output"},
    ]
    report = {"graph": "query", "date": "2026-01-01", "machine": "m", "rows": rows}
    (folder / "ablate.json").write_text(json.dumps(report), encoding="utf-8")
    page = open_page("evaluation", view="ablation")
    assert page.dataframe[0].value["own"].tolist()[:2] == ["90.0", "-5.00 *"]
    page.text_area[0].set_value(str(hub)).run()
    button(page, "Start the ablation").click().run()
    assert started[0][1][:4] == ["eval", "ablate", "query", str(hub)]
    (folder / "ablate.json").write_text("[]", encoding="utf-8")
    assert open_page("evaluation", view="ablation").error


def test_the_view_stands_in_the_address(hub, open_page):
    page = open_page("evaluation", view="nonsense")
    assert page.query_params["view"] == "runs"
    page.main.button_group[0].set_value("gate").run()
    assert page.query_params["view"] == "gate"


def test_kept_runs_know_their_cases(run):
    run()
    [one], problems = kept_runs()
    assert not problems
    assert isinstance(one.cases["herons"], Case)
    assert Path(one.answers("query")["herons"]["citations"][0]["source"]).name == "herons.md"
