"""`khub eval retrieve` on small data sets, through the real graphs."""

import json

import pytest
import yaml

from khub.components.home import hub_home
from khub.eval.retrieve import asking
from khub.server.graphs.load import find_graph
from tests.server.hub_files import copy_pipelines, name_parts

pytestmark = pytest.mark.integration
FAST = ("--graph", "query", "--ingest", "ingest_fast")


def graph_like(folder, name, change, of="query"):
    data = yaml.safe_load(find_graph(of).read_text(encoding="utf-8"))
    change(data)
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return str(file)


def results(run):
    [data] = run.report["sets"]
    return {(result["graph"], result["legs"]): result for result in data["results"]}


def mean(result, metric="ndcg@10", of="ranked"):
    return result[of][metric]["mean"]


def test_all_figures_of_each_leg_and_both(khub, beir):
    run = khub(beir(), *FAST)
    assert run.exit_code == 0, run.output
    found = results(run)
    assert list(found) == [("query", "dense"), ("query", "sparse"), ("query", "both")]
    both = found["query", "both"]
    assert mean(both, "mrr@10") == 1
    assert both["ranked"]["recall@100"]["mean"] == 1
    assert both["ranked"]["ndcg@10"]["valid"] == both["ranked"]["ndcg@10"]["total"] == 3
    assert (both["abstained"], both["degraded"], both["failed"], both["deepest"]) == (0, 0, [], 4)
    assert both["ingest"] == "ingest_fast"
    assert found["query", "sparse"]["deepest"] < 4  # the words of a question are not in every passage
    [data] = run.report["sets"]
    assert (data["passages"], data["queries"], data["titles"]) == (4, 3, 4)
    [made] = data["collections"]
    assert (made["files"], made["chunks"], made["titles"], made["failed"]) == (4, 4, 4, [])
    assert "| small | query | both | 3/3 |" in run.stdout
    assert run.stdout.strip() == (hub_home().parent / "out" / "retrieve.md").read_text(encoding="utf-8").strip()


def test_the_users_own_collections_are_not_touched(khub, beir):
    assert khub(beir(), *FAST, "--legs", "both").exit_code == 0
    assert sorted(path.name for path in hub_home().iterdir()) in (["eval"], ["eval", "logs"])


def test_a_stopped_command_goes_on_and_a_finished_one_begins_anew(khub, beir, asked):
    folder = beir()
    asked.stop_at = 5
    assert khub(folder, *FAST).exit_code != 0
    assert len(asked) == 5
    asked.stop_at = None
    run = khub(folder, *FAST)
    assert run.exit_code == 0, run.output
    assert len(asked) == 5 + 9 - 4
    assert "ingest through" not in run.stderr  # the collection is there
    assert results(run)["query", "dense"]["total"] == 3
    assert len(set(asked[5:])) == 3
    khub(folder, *FAST)
    assert len(asked) == 10 + 9


def test_answers_of_other_code_are_not_gone_on_with(khub, beir, asked, monkeypatch):
    folder = beir()
    asked.stop_at = 3
    khub(folder, *FAST, "--legs", "both")
    asked.stop_at = None
    monkeypatch.setattr(asking, "code_hash", lambda: "changed")
    khub(folder, *FAST, "--legs", "both")
    assert len(asked) == 3 + 3


def test_a_line_that_a_stop_cut_short_is_asked_again(khub, beir, asked):
    folder = beir()
    asked.stop_at = 3
    khub(folder, *FAST, "--legs", "both")
    [file] = (hub_home() / "eval" / "retrieve").rglob("*.jsonl")
    file.write_text(file.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    asked.stop_at = None
    assert khub(folder, *FAST, "--legs", "both").exit_code == 0
    assert len(asked) == 3 + 2


def test_fresh_forgets_what_was_asked(khub, beir, asked):
    folder = beir()
    asked.stop_at = 3
    khub(folder, *FAST, "--legs", "both")
    asked.stop_at = None
    assert khub(folder, *FAST, "--legs", "both", "--fresh").exit_code == 0
    assert len(asked) == 3 + 3


def test_abstaining_does_not_hide_the_ranking(khub, beir, tmp_path):
    def abstain(data):
        data["components"]["answer"]["init_parameters"]["min_confidence"] = 1.01

    run = khub(beir(), "--graph", graph_like(tmp_path, "query", abstain), "--legs", "both")
    [result] = results(run).values()
    assert result["abstained"] == 3
    assert (mean(result, "mrr@10"), mean(result, "mrr@10", "answered")) == (1, 0)
    assert result["answered"]["ndcg@10"]["valid"] == 3


def test_the_best_chunk_of_a_long_passage_counts(khub, beir):
    long = (
        "The weather was mild and nothing happened that day. " * 60 + "The lighthouse keeper owns a purple accordion."
    )
    passages = [("long", "", long), ("short", "", "A lighthouse stands on the cliff.")]
    queries = [("q", "Who owns a purple accordion?")]
    run = khub(beir("long", passages, queries, [("q", "long", 1)]), *FAST)
    assert run.report["sets"][0]["collections"][0]["chunks"] > 4
    assert mean(results(run)["query", "both"], "mrr@10") == 1
    [result] = [r for key, r in results(run).items() if key[1] == "dense"]
    assert result["ranked"]["recall@10"]["mean"] == 1  # its further chunks take no places of other passages


def test_titles_are_found_unless_they_are_left_out(khub, beir):
    passages = [("a", "Kingfisher", "It nests in banks."), ("b", "Woodpecker", "It nests in trunks.")]
    folder = beir("titles", passages, [("q", "kingfisher")], [("q", "a", 1)])
    named = khub(folder, *FAST, "--legs", "sparse")
    assert (mean(results(named)["query", "sparse"]), named.report["titles"]) == (1, True)
    without = khub(folder, *FAST, "--legs", "sparse", "--no-title")
    assert (mean(results(without)["query", "sparse"]), without.report["titles"]) == (0, False)


def test_who_asks_for_more_sees_deeper(khub, beir):
    passages = [(f"p{i}", "", f"Lot {i} holds copper wire of grade {i}.") for i in range(28)]
    folder = beir("many", passages, [("q", "copper wire")], [("q", f"p{i}", 1) for i in range(28)])
    [plain] = results(khub(folder, *FAST, "--legs", "both")).values()
    run = khub(folder, *FAST, "--legs", "both", "--top-k", 26)
    [deep] = results(run).values()
    assert (plain["deepest"], deep["deepest"], run.report["top_k"]) == (20, 28, 26)
    assert mean(plain, "recall@100") == pytest.approx(20 / 28)
    assert mean(deep, "recall@100") == 1
    assert "asked for 26 passages" in run.stdout


def test_a_question_that_fails_is_left_out_and_told(khub, beir, asked):
    folder = beir(queries=[("q1", "Where does a heron wade?"), ("q2", "?!")])
    run = khub(folder, *FAST, "--legs", "both")
    assert run.exit_code == 1
    assert "1 questions failed" in run.stderr or "1 question failed" in run.stderr
    [result] = results(run).values()
    assert [failed["id"] for failed in result["failed"]] == ["q2"]
    assert (result["ranked"]["ndcg@10"]["valid"], result["ranked"]["ndcg@10"]["total"]) == (1, 2)
    assert mean(result) == 1
    assert "| 1/2 |" in run.stdout


def test_a_failed_question_is_asked_again_after_a_stop(khub, beir, asked):
    folder = beir(queries=[("q2", "?!"), ("q1", "Where does a heron wade?"), ("q3", "年假")])
    asked.stop_at = 3
    khub(folder, *FAST, "--legs", "both")
    asked.stop_at = None
    khub(folder, *FAST, "--legs", "both")
    assert asked[3:] == ["?!", "年假"]


def test_the_ingest_graph_can_be_named(khub, beir, tmp_path):
    folder = copy_pipelines(tmp_path)
    name_parts(folder / "query.yaml", folder / "ingest_fast.yaml", embedder="khub-fast")
    wrong = khub(beir(), "--graph", folder / "query.yaml", "--ingest", "ingest", "--legs", "both")
    assert type(wrong.exception).__name__ == "BindingError"  # it cannot read what ingest made
    other = khub(beir("x"), *FAST, "--ingest", "query")
    assert other.exception.code == "graph_kind_wrong"
    assert "'query'" in str(other.exception)


def test_what_cannot_be_measured_is_told(khub, beir, tmp_path):
    folder = beir()
    assert "no folder" in str(khub(tmp_path / "gone").exception) or "cannot be read" in str(
        khub(tmp_path / "gone").exception
    )
    twice = khub(folder, folder, *FAST).exception
    assert (twice.code, "'small'" in str(twice)) == ("evaluation_failed", True)

    def without_legs(data):
        del data["inputs"]["legs"]

    graph = graph_like(tmp_path, "query", without_legs)
    assert "has no input 'legs'" in str(khub(folder, "--graph", graph, "--legs", "dense").exception)
    assert khub(folder, "--graph", graph, "--legs", "both").exit_code == 0


def test_answers_are_kept_for_further_study(khub, beir):
    khub(beir(), *FAST, "--legs", "both")
    [file] = (hub_home() / "eval" / "retrieve").rglob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["ranked"][0] == ["000000/_.md", None]
    assert rows[0]["cited"][0] == ["000000/_.md", None]


def test_both_legs_are_compared_with_the_better_one(khub, beir):
    run = khub(beir(), *FAST)
    [row] = run.report["against_legs"]
    assert (row["graph"], row["set"], row["both"]) == ("query", "small", mean(results(run)["query", "both"]))
    assert "## Both legs against the better one" in run.stdout
    assert khub(beir("again"), *FAST, "--legs", "both").report["against_legs"] == []


def test_other_values_of_a_parameter_are_measured_too(khub, beir):
    run = khub(beir(), *FAST, "--legs", "both", "--set", "rank.sparse_weight=0.1,0.9")
    assert run.exit_code == 0, run.output
    names = [graph for graph, _ in results(run)]
    assert names == ["query", "query, rank.sparse_weight=0.1", "query, rank.sparse_weight=0.9"]
    assert {result["ingest"] for result in results(run).values()} == {"ingest_fast"}
