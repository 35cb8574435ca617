"""What the evaluation page shows of runs that lie in the hub, what it starts, and to whom."""

import json
from pathlib import Path

import pytest

from khub.components.catalog.access import Caller
from khub.eval.background import task as background
from khub.eval.background.task import CANCELLED, FAILED, FINISHED, GATE, INTERRUPTED, KHUB, Task
from khub.eval.cases import Case
from khub.eval.retrieve.figures import NOTHING
from khub.eval.run.evaluation import Plan, evaluate
from khub.eval.run.golden_set import golden_sets
from khub.eval.run.kept_runs import kept_runs
from khub.eval.run.own_collection import folder_of
from khub.eval.run.report import write_report
from khub.server.access_right import Access
from tests.dashboard.conftest import COLLECTION, tables, texts, use_table
from tests.eval.run.conftest import quiet

pytestmark = pytest.mark.integration
VIEWS = ("runs", "start", "cases", "ablation", "gate")
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
    button = "khub.dashboard.parts.evaluation.evaluation_button"
    monkeypatch.setattr(f"{button}.start", lambda *command: found.append(command))
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
    assert not tables(page)
    assert not page.button
    assert not page.button_group


def test_who_may_only_read_starts_nothing(golden, open_page, monkeypatch):
    let_in(monkeypatch, Access.READ, Caller())
    for view, label in (("start", "Start"), ("ablation", "Start the ablation"), ("gate", "Run the gate")):
        assert button(open_page("evaluation", view=view), label).disabled


def table(page, name):
    """Return the heads of a table, and its rows by what stands first in them."""
    at = [json.loads(element.proto.json)["caption"] for element in page.get("bidi_component")].index(name)
    data = json.loads(page.get("bidi_component")[at].proto.json)
    return [column["title"] for column in data["columns"]], {row[0]: row for row in tables(page)[at]}


def links_of(page, name):
    data = (json.loads(element.proto.json) for element in page.get("bidi_component"))
    (found,) = [one for one in data if one["caption"] == name]
    return [cell["href"] for row in found["rows"] for cell in row["cells"] if "href" in cell]


def test_the_first_run_is_shown_in_full(run, open_page):
    _, report = run()
    page = open_page("evaluation", view="runs")
    heads, rows = table(page, "Evaluations")
    (row,) = rows.values()
    hits = report["graphs"]["query"]["metrics"]["hit@5"]["all"]
    assert row[heads.index("hit@5 ↑")].startswith(f"{hits['mean']:.2f} {hits['low']:.2f}")
    assert "golden" in row[0]
    shown = table(page, "Figures of the run")[1]
    assert shown["hit@5 ↑"][1] == f"{hits['mean']:.3f} {hits['low']:.3f}–{hits['high']:.3f}"


def test_what_could_not_be_measured_is_in_the_denominator(run, open_page):
    folder, report = run()
    figure = report["graphs"]["query"]["metrics"]["hit@5"]["all"]
    figure |= {"valid": 2, "total": 3}
    (folder.path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    assert table(open_page("evaluation", view="runs"), "Figures of the run")[1]["hit@5 ↑"][1].endswith("2/3")


def test_a_run_says_what_moved_since_the_one_before(run, open_page):
    run()
    folder, _ = run(top_k=9)
    file = folder.path / "history.jsonl"
    line = json.loads(file.read_text(encoding="utf-8"))
    line["figures"]["hit@5"]["mean"] -= 0.25
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    page = open_page("evaluation", view="runs")
    heads, _ = table(page, "Evaluations")
    newest, oldest = (row[heads.index("hit@5 ↑")] for row in tables(page)[0])
    assert "↓ 0.25" in newest
    assert "↓" not in oldest


def ids(page):
    at = [json.loads(element.proto.json)["caption"] for element in page.get("bidi_component")].index("Evaluations")
    return [row["id"] for row in json.loads(page.get("bidi_component")[at].proto.json)["rows"]]


def spoil(folder, case_id):
    """Make a question of a run go wrong in its report."""
    file = folder.path / "report.json"
    report = json.loads(file.read_text(encoding="utf-8"))
    report["graphs"]["query"]["scores"]["ndcg@10"][report["case_ids"].index(case_id)] = 0.0
    file.write_text(json.dumps(report), encoding="utf-8")


def test_the_newest_two_of_a_set_are_compared_question_by_question(run, open_page):
    first, _ = run()
    second, _ = run(top_k=9)
    spoil(second, "herons")
    page = open_page("evaluation", view="runs")
    a, b = (line for text in page.text for line in text.value.splitlines() if line[:2] in {"A:", "B:"})
    assert (a[-8:], b[-8:]) == (first.run_id[-8:], second.run_id[-8:])
    assert "p" in table(page, "Both beside each other")[0]
    _, rows = table(page, "Question by question")
    assert [row[2:] for row in rows.values()] == [["1.000", "0.000", "−1.000"]]
    assert list(rows) == ["Where do herons wade?"]
    then, now = links_of(page, "Question by question")
    assert then.startswith("query_runs?trace=")
    assert now.startswith("query_runs?trace=")
    assert then != now
    use_table(page, "compared", selected=["herons"])
    assert texts(page).count("shallow water") >= 2


def test_questions_are_chosen_by_what_became_of_them(run, open_page):
    first, _ = run()
    run(top_k=9)
    spoil(first, "herons")
    page = open_page("evaluation", view="runs")
    chosen = next(one for one in page.button_group if one.label == "From A to B")
    assert chosen.options == ["changed: 1", "lost: 0", "gained: 1", "all: 3"]
    chosen.set_value("lost").run()
    assert not table(page, "Question by question")[1]
    next(one for one in page.button_group if one.label == "From A to B").set_value("all").run()
    assert len(table(page, "Question by question")[1]) == 3


def test_what_is_ticked_is_shown(run, open_page):
    folders = [run(top_k=number)[0] for number in (10, 9, 8)]
    page = open_page("evaluation", view="runs")
    newest, _, oldest = ids(page)
    use_table(page, "evaluations", selected=[newest, oldest])
    assert [page.query_params[name] for name in "ab"] == [oldest, newest]
    use_table(page, "evaluations", selected=[oldest])
    assert table(page, "Figures of the run")
    assert oldest.startswith(folders[0].run_id)
    use_table(page, "evaluations", selected=ids(page))
    assert page.info


def test_runs_without_a_common_question_are_not_compared(run, golden, open_page):
    run()
    golden.write_text(golden.read_text(encoding="utf-8").replace("herons wade", "the herons walk"), encoding="utf-8")
    golden.write_text("\n".join(golden.read_text(encoding="utf-8").splitlines()[:1]), encoding="utf-8")
    run()
    page = use_table(page := open_page("evaluation", view="runs"), "evaluations", selected=ids(page))
    assert page.error


def test_the_worst_questions_show_what_was_found_instead(run, open_page):
    _, report = run()
    lost = next(row for row in report["graphs"]["query"]["worst"] if row["case_id"] == "lost")
    assert lost["trace_id"]
    page = open_page("evaluation", view="runs")
    problems = next(one for one in page.button_group if one.label == "What went wrong")
    problems.set_value(lost["problem"]).run()
    said = texts(page)
    assert "How do herons wade?" in said
    assert "owls sleep in barns" in said
    assert lost["found"][0]["text"].startswith("# Herons")
    assert ": Herons Herons wade slowly in shallow water." in said
    assert f"trace={lost['trace_id']}" in {link.proto.query_string for link in page.main.get("page_link")}


def test_a_damaged_run_costs_itself_alone(run, hub, open_page):
    folder, _ = run()
    (hub / "eval" / "runs" / "20200101-broken").mkdir()
    page = open_page("evaluation", view="runs")
    assert len(page.expander) >= 2
    assert len(ids(page)) == 1
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
    assert [row[1] for row in table(page, "Verdicts")[1].values()] == ["passes", "FAILS"]
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
    row["cpu_difference"] = {"mean": 0.5}
    stands = {"figures": figures, "difference": {"mean": 0.0, "p": 1.0}}
    rows = [
        {**row, "label": "as it stands", "sets": {"own": stands, "with filters": stands}},
        {**row, "label": "without rerank", "sets": {"own": {"figures": figures, "difference": apart}}},
        {"label": "without answer", "refused": "it gives the graph's output"},
    ]
    sets = [{"name": "own"}, {"name": "with filters"}]  # a variant that takes no filter is not asked the second
    report = {"graph": "query", "date": "2026-01-01", "machine": "m", "sets": sets, "rows": rows}
    (folder / "ablate.json").write_text(json.dumps(report), encoding="utf-8")
    page = open_page("evaluation", view="ablation")
    shown = table(page, "Ablation")[1]
    assert [row[2:4] for row in shown.values()] == [["90.0", "90.0"], ["-5.00 *", NOTHING], [NOTHING, NOTHING]]
    assert "the graph's output" in shown["without answer"][1]
    page.text_area[0].set_value(str(hub)).run()
    button(page, "Start the ablation").click().run()
    assert started[0][1][:4] == ["eval", "ablate", "query", str(hub)]
    (folder / "ablate.json").write_text("[]", encoding="utf-8")
    assert open_page("evaluation", view="ablation").error


def test_the_view_stands_in_the_address(hub, open_page):
    page = open_page("evaluation", view="nonsense")
    assert "view" not in page.query_params
    page.main.button_group[0].set_value("gate").run()
    assert page.query_params["view"] == "gate"


def test_kept_runs_know_their_cases(run):
    run()
    [one], problems = kept_runs()
    assert not problems
    assert isinstance(one.cases["herons"], Case)
    assert Path(one.answers("query")["herons"]["citations"][0]["source"]).name == "herons.md"
