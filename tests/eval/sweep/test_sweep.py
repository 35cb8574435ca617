"""Whole sweeps over a tiny collection of which the best value is known."""

import json

import pytest

from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.errors import GraphError, KhubError
from khub.components.home import hub_home
from khub.eval.run import asking
from khub.eval.sweep.report import main_table, verdict, winner_diff, write_sweep
from khub.eval.sweep.sweep import _add_corrected, sweep_folder
from tests.error_codes import raises_code
from tests.eval.sweep.conftest import ROWS
from tests.server.hub_files import TEXT_EMBEDDER, edit, shipped

pytestmark = pytest.mark.integration


@pytest.fixture
def strict(pipelines):
    """The graph, so sure of itself that it never answers."""
    edit(
        pipelines / "query.yaml",
        "{top_k: 5}",
        "\n      top_k: 5\n      min_confidence: 1.01  # never sure enough",
    )
    return pipelines / "query.yaml"


@pytest.fixture
def asked(monkeypatch):
    """The graphs that were really asked; from the question of this number on, asking is interrupted."""
    graphs, stop = [], {"after": None}
    ask = asking.ask

    def counted(question, collection, graph, *others):
        if stop["after"] is not None and len(graphs) >= stop["after"]:
            raise KeyboardInterrupt
        graphs.append(graph)
        return ask(question, collection, graph, *others)

    monkeypatch.setattr(asking, "ask", counted)
    return graphs, stop


def collections():
    return sorted(path.name for path in (hub_home() / "eval" / "collections").iterdir())


def test_the_best_value_wins_and_is_shown_as_a_change_of_the_file(run_sweep, strict, tmp_path):
    report = run_sweep("answer.min_confidence=1.02,0.2", "answer.top_k=5")
    means = {row["label"]: row["figures"]["ndcg@10"]["mean"] for row in report["rows"]}
    assert means == {
        "as it stands": 0,
        "answer.min_confidence=1.02, answer.top_k=5": 0,
        "answer.min_confidence=0.2, answer.top_k=5": 1,
    }
    assert report["winner"] == "answer.min_confidence=0.2, answer.top_k=5"
    changed = [line for line in winner_diff(report).splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        "-      min_confidence: 1.01  # never sure enough",
        "+      min_confidence: 0.2  # never sure enough",
    ]
    assert "min_confidence: 1.01" in strict.read_text(encoding="utf-8")
    assert len(collections()) == 1


def test_p_values_are_paired_exact_and_corrected(run_sweep, strict):
    report = run_sweep("answer.min_confidence=1.02,0.2")
    compared = {row["label"]: row["compared"].get("ndcg@10") for row in report["rows"]}
    best = compared["answer.min_confidence=0.2"]
    assert best["p"] == 0.25  # of three questions that all change
    assert best["p_corrected"] == 0.5
    assert (best["difference"], best["pairs"]) == (1, len(ROWS))
    assert compared["answer.min_confidence=1.02"]["p"] == 1
    assert compared["as it stands"] is None
    assert "which may be chance" in verdict(report)
    assert [row[0] for row in main_table(report).rows] == list(compared)


def test_holms_correction():
    rows = [{"compared": {"m": {"p": p}}} for p in (0.04, 0.01, 0.03)]
    _add_corrected(rows)
    assert [row["compared"]["m"]["p_corrected"] for row in rows] == [0.06, 0.03, 0.06]


def test_the_graph_as_it_stands_may_be_the_best(run_sweep):
    weight = shipped("query", "sparse_weight: [0-9.]+").replace(": ", "=")
    bound = f"answer.min_confidence={AnswerBuilder().min_confidence}"
    report = run_sweep(f"{bound},1.02", f"rank.{weight}")
    assert [row["label"] for row in report["rows"]] == [
        f"as it stands ({bound}, rank.{weight})",
        f"answer.min_confidence=1.02, rank.{weight}",
    ]
    assert report["winner"].startswith("as it stands")
    assert winner_diff(report) == ""
    assert "No variant" in verdict(report)


def test_the_metric_decides_and_may_be_better_when_lower(run_sweep):
    report = run_sweep("answer.min_confidence=1.01", metric="abstained_wrong")
    assert report["winner"] == "as it stands"
    with pytest.raises(KhubError, match="unknown metric 'ndgc@10'"):
        run_sweep("answer.min_confidence=1.01", metric="ndgc@10")
    with raises_code("option_invalid", "'ndcg@11'", "'ndcg@10'"):
        run_sweep("answer.min_confidence=1.01", metric="ndcg@11")


def test_the_report_is_written(run_sweep, plan, strict, tmp_path):
    report = run_sweep("answer.min_confidence=0.2")
    folder = tmp_path / "out"
    assert [path.name for path in write_sweep(folder, report)] == [
        "sweep.json", "sweep.md", "sweep.svg", "winner.diff",
    ]  # fmt: skip
    text = (folder / "sweep.md").read_text(encoding="utf-8")
    assert "| answer.min_confidence=0.2 | 1.000 (1.000–1.000) 3/3 | +1.000 (+1.000 to +1.000) | 0.2500 |" in text
    assert "```diff\n--- " in text
    assert "<svg" in (folder / "sweep.svg").read_text(encoding="utf-8")
    assert json.loads((folder / "sweep.json").read_text(encoding="utf-8"))["winner"] == "answer.min_confidence=0.2"
    again = run_sweep("answer.min_confidence=1.02")
    assert "winner.diff" not in [path.name for path in write_sweep(folder, again)]
    assert not (folder / "winner.diff").exists()
    assert sweep_folder(plan("answer.top_k=1")) != sweep_folder(plan("answer.top_k=2"))


def test_parameters_of_the_ingest_graph_fill_a_collection_each(run_sweep, pipelines):
    report = run_sweep("split.chunk_size=12,400", "split.overlap=0", "answer.top_k=5")
    assert len(report["rows"]) == 3
    assert len(collections()) == 3
    small = report["rows"][1]
    assert small["label"] == "split.chunk_size=12, split.overlap=0, answer.top_k=5"
    assert small["ingest"] != report["rows"][0]["ingest"]
    assert small["graph"] == report["rows"][0]["graph"]
    assert small["figures"]["ndcg@10"]["mean"] < 1
    assert report["winner"] == "as it stands"


def test_another_embedder_gets_the_collection_that_fits(run_sweep):
    embedder = f"{{type: {TEXT_EMBEDDER}, init_parameters: {{model: khub-fast}}}}"
    report = run_sweep(f"dense.embedder={embedder}", ingest=None)
    assert [row["ingest"].rpartition("/")[2] for row in report["rows"]] == ["ingest.yaml", "ingest_fast.yaml"]
    assert len(collections()) == 2


def test_a_stopped_sweep_goes_on_and_a_whole_one_is_not_measured_again(run_sweep, asked):
    graphs, stop = asked
    stop["after"] = 4  # two of them to warm up
    with pytest.raises(KeyboardInterrupt):
        run_sweep("answer.top_k=1")
    stop["after"] = None
    run_sweep("answer.top_k=1")
    assert len(graphs) == 4 + 2 + (2 * len(ROWS) - 2)
    run_sweep("answer.top_k=1")
    assert len(graphs) == 4 + 2 + (2 * len(ROWS) - 2)
    run_sweep("answer.top_k=1", resume=False)
    assert len(graphs) == 4 + 2 + (2 * len(ROWS) - 2) + 2 + 2 * len(ROWS)


def test_progress_names_variants_by_their_values(run_sweep):
    from contextlib import contextmanager

    seen = []

    @contextmanager
    def shown(what, unit):
        seen.append(what)
        yield lambda done, total, more="": None

    run_sweep("answer.top_k=1", shown=shown)
    assert seen == [
        "fill a collection by ingest_fast", "ask 2 variants", "judge as it stands", "judge answer.top_k=1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("dens.top_k=1", r"'dens.top_k': no component 'dens': did you mean 'dense'\?"),
        ("splitt.chunk_size=1", r"no component 'splitt': did you mean 'split'\?"),
        ("zzz.x=1", "query has analyze, .*; ingest_fast has check, convert"),
        ("split.chunksize=1", r"has no parameter 'chunksize': did you mean 'chunk_size'\?"),
        ("dense.top_k=1,many", r"query.yaml with dense.top_k=many:\d+: dense: parameter 'top_k'"),
        ("answer.top_k=0", r"with answer.top_k=0:\d+: answer: AnswerBuilder has top_k=0"),
    ],
)
def test_mistakes_are_told_before_any_work(run_sweep, asked, setting, said):
    with pytest.raises(GraphError, match=said):
        run_sweep(setting)
    assert not hub_home().exists()


def test_only_query_graphs_are_swept(run_sweep):
    with raises_code("graph_kind_wrong", "'ingest'", "'query'", "--graph"):
        run_sweep("split.chunk_size=400", graph="ingest_fast")
