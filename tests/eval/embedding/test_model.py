"""The whole evaluation of real models on a tiny data set, as `khub model eval`."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from khub.eval.commands import model as evaluate
from khub.eval.embedding import speed as measure_speed
from khub.server.cli import app

pytestmark = pytest.mark.integration
TABLES = ("nDCG@10", "cold start s", "cosines of", "AUC hits, best misses")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(measure_speed, "ENCODE_SECONDS", 0.01)
    monkeypatch.setattr(measure_speed, "COLD_RUNS", 1)


@pytest.fixture
def khub():
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, ["model", "eval", *map(str, arguments)])


def test_all_figures_are_written(khub, beir, tmp_path):
    long = [("en", "", "The heron wades in shallow water. " * 60), ("zh", "", "苍鹭站在浅水里等着鱼游过来。" * 130)]
    judged = [("q1", "en", 1), ("q2", "zh", 1)]
    second = beir("second", long, [("q1", "Where does the heron wade?"), ("q2", "苍鹭站在哪里？")], judged)
    file = tmp_path / "figures.json"
    result = khub("khub-fast", beir(), second, "--json", file)
    assert result.exit_code == 0, result.output
    assert all(head in result.stdout for head in TABLES)
    assert "| khub-fast | second | 2 | 2 | 100.0 | 100.0 | 100.0 |" in result.stdout
    written = json.loads(file.read_text(encoding="utf-8"))
    assert (written["threads"], written["titles"]) == (0, True)
    [model] = written["models"]
    assert (model["name"], model["dimension"]) == ("khub-fast", 384)
    assert len(model["fingerprint"]) == 16
    assert 30 < model["megabytes"] < 35
    assert [(data["name"], data["passages"], data["queries"]) for data in model["datasets"]] == [
        ("small", 4, 2), ("second", 2, 2)
    ]  # fmt: skip
    for data in model["datasets"]:
        assert data["recall"] == data["mrr"] == data["ndcg"] == 100
        found = data["cosines"]
        assert [found[kind]["pairs"] for kind in ("hits", "best_miss", "random_miss")] == [2, 2, 2]
        assert list(found["hits"]["percentiles"]) == ["1", "5", "25", "50", "75", "95", "99"]
        assert found["separable"]["auc"] == 1
        assert -1 <= found["separable"]["threshold"] <= found["hits"]["percentiles"]["25"]
    assert min(model["chunks_per_s"].values()) > 0
    assert 0 < model["query_ms"]["median"] <= model["query_ms"]["p95"]
    assert model["cold"]["seconds"] > 0
    assert model["cold"]["torch"] is False
    assert list(tmp_path.glob("*figures*")) == [file]


def test_titles_change_what_is_embedded(khub, beir, tmp_path):
    hits = []
    for options in ([], ["--no-title"]):
        assert khub("khub-fast", beir("a" + str(options)), *options, "--json", tmp_path / "f.json").exit_code == 0
        written = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
        assert written["titles"] is not bool(options)
        hits.append(written["models"][0]["datasets"][0]["cosines"]["hits"]["percentiles"]["50"])
    assert hits[0] != hits[1]


def test_a_second_model_is_measured_on_the_same_sets(khub, beir):
    result = khub("khub-fast", beir(), "--compare", "khub-base")
    assert result.exit_code == 0, result.output
    for name in ("khub-fast", "khub-base"):
        assert f"| {name} | small | 4 | 2 | 100.0" in result.stdout
    assert result.stderr.splitlines() == ["khub: measuring khub-fast", "khub: measuring khub-base"]


def test_figures_that_cannot_be_are_left_open(khub, beir):
    result = khub("khub-fast", beir())  # no text for a chunk of 800 characters
    row = next(line for line in result.stdout.splitlines() if line.startswith("| khub-fast |") and "| 384 |" in line)
    assert row.count("| – ") == 2


def test_threads_reach_the_models_and_the_new_process(khub, beir, monkeypatch):
    from khub.components.embedders import model_folder

    given, load = [], model_folder.load_model
    monkeypatch.setattr(model_folder, "load_model", lambda name, threads: given.append(threads) or load(name, threads))
    cold = measure_speed.cold_start
    monkeypatch.setattr(measure_speed, "cold_start", lambda m, threads: given.append(threads) or cold(m, threads))
    assert khub("khub-fast", beir(), "--threads", 3).exit_code == 0
    assert given == [3, 3]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["khub-slow", "."], 1, "cannot be read"),
        (["khub-fast"], 2, "DATASET"),
        (["khub-fast", ".", "--threads", "-1"], 2, "--threads"),
    ],
)
def test_mistakes_are_told(khub, tmp_path, monkeypatch, arguments, code, said):
    monkeypatch.chdir(tmp_path)
    result = khub(*arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""


def test_an_unknown_model_is_told(khub, beir):
    result = khub("khub-slow", beir())
    assert result.exit_code == 1
    assert "'khub-slow'" in result.stderr
    assert "khub-base, khub-fast" in result.stderr


def test_a_file_that_cannot_be_written_is_told_and_nothing_is_left(khub, beir, tmp_path):
    (tmp_path / "taken").mkdir()
    result = khub("khub-fast", beir(), "--json", tmp_path / "taken")
    assert result.exit_code == 1
    assert f"{tmp_path / 'taken'} cannot be written" in result.stderr
    assert list(tmp_path.glob("*taken*")) == [tmp_path / "taken"]


def test_help_imports_no_model(monkeypatch):
    code = "import sys, khub.eval.commands.model; "
    code += "sys.exit(' '.join({'numpy', 'haystack', 'torch'} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert evaluate.evaluate_model.__doc__
