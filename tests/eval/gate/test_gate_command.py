"""The gate as `make gate` runs it, on three small files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from khub.eval.gate import write_baseline
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3]


def run_gate(folder, table, **environment):
    return subprocess.run(
        [sys.executable, "-m", "khub.eval.gate", str(folder), "--table", str(table)],
        cwd=table.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


LEGS = """\
legs:
  sparse:
    en: {recall@10: {at_least: 0.9}}
    zh: {ndcg@10: {at_least: 0.9}}
"""


def test_it_passes_untouched_and_fails_on_a_worse_graph_by_name(gate_folder, tmp_path, capsys):
    write_baseline.main([str(gate_folder)])
    assert "| hit@5 | passes |" in capsys.readouterr().out
    work = tmp_path / "work"
    work.mkdir()
    table = work / "gate.md"

    passing = run_gate(gate_folder, table)
    assert passing.returncode == 0, passing.stdout + passing.stderr
    assert "3 passed, 1 skipped" in passing.stdout  # two metrics and the baseline; no judge
    assert "## Gate: passes" in passing.stdout
    assert table.read_text(encoding="utf-8").startswith("## Gate: passes")
    assert [path.name for path in work.iterdir()] == ["gate.md"]

    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "query.yaml", "{top_k: 5}", "{top_k: 5, min_confidence: 1.1}")
    failing = run_gate(gate_folder, table, KHUB_PIPELINES=str(pipelines))
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert "test_metric[hit@5]" in failing.stdout
    assert "test_metric[abstained_wrong]" in failing.stdout
    assert table.read_text(encoding="utf-8").startswith("## Gate: fails on hit@5, abstained_wrong\n")


def test_a_leg_that_the_other_makes_up_for_fails_by_name(gate_folder, tmp_path):
    with (gate_folder / "thresholds.yaml").open("a", encoding="utf-8") as file:
        file.write(LEGS)
    write_baseline.main([str(gate_folder)])
    table = tmp_path / "gate.md"
    passing = run_gate(gate_folder, table)
    assert passing.returncode == 0, passing.stdout + passing.stderr
    assert "| sparse.en.recall@10 | passes | ≥ 0.900 | 1.000 (1.000–1.000) 2/2 | 1.000 | 1.0000 |" in passing.stdout
    assert "| sparse.zh.ndcg@10 | passes | ≥ 0.900 | 1.000 (1.000–1.000) 1/1 | 1.000 | 1.0000 |" in passing.stdout

    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "query.yaml", "  - {sender: sparse.documents, receiver: join.documents}\n", "")
    failing = run_gate(gate_folder, table, KHUB_PIPELINES=str(pipelines))
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert "test_metric[sparse.zh.ndcg@10]" in failing.stdout
    assert table.read_text(encoding="utf-8").startswith("## Gate: fails on sparse.en.recall@10, sparse.zh.ndcg@10\n")


def test_a_judge_is_asked_only_on_purpose_and_then_counts(gate_folder, tmp_path):
    write_baseline.main([str(gate_folder)])
    pipelines = copy_pipelines(tmp_path)
    edit(
        pipelines / "more/evaluate_judged.yaml", "http://127.0.0.1:11434/v1", "http://127.0.0.1:9/v1"
    )  # nobody listens
    edit(pipelines / "more/evaluate_judged.yaml", "max_retries: 5", "max_retries: 0")
    judged = run_gate(
        gate_folder,
        tmp_path / "gate.md",
        KHUB_PIPELINES=str(pipelines),
        KHUB_GATE_JUDGE="more/evaluate_judged",
        KHUB_JUDGE_API_KEY="none",
    )
    assert judged.returncode == 1, judged.stdout + judged.stderr
    assert "test_judged_metric[deepeval_faithfulness]" in judged.stdout
    assert "could not be measured" in judged.stdout
    assert "3 passed" in judged.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["one", "two"]], ids=str)
def test_the_baseline_command_says_how_it_is_called(arguments):
    with pytest.raises(SystemExit, match=r"python -m khub\.eval\.gate\.write_baseline FOLDER"):
        write_baseline.main(arguments)


def test_the_baseline_command_has_one_line_for_an_error(tmp_path):
    with pytest.raises(SystemExit, match=r"thresholds\.yaml cannot be read"):
        write_baseline.main([str(tmp_path)])
