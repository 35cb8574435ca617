import pytest

from eval.bench.comparison.plots import draw_plots

pytestmark = pytest.mark.integration
pytest.importorskip("matplotlib", reason='no matplotlib: pip install -e ".[bench]" -c constraints.txt')


def test_plots_show_every_system_and_are_the_same_again(results, tmp_path):
    assert draw_plots(tmp_path, results) == ["latency", "ingest", "memory", "stages"]
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("bench-*.svg")}
    assert sorted(drawn) == ["bench-ingest.svg", "bench-latency.svg", "bench-memory.svg", "bench-stages.svg"]
    for name in ("latency", "ingest", "memory"):
        assert all(system in drawn[f"bench-{name}.svg"] for system in ("hub", "langchain", "haystack"))
    assert "dense" in drawn["bench-stages.svg"]
    draw_plots(tmp_path, results)
    assert drawn == {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("bench-*.svg")}


def test_what_was_not_measured_is_not_drawn(results, tmp_path):
    results["data_sets"] = {"1000": {"langchain": results["data_sets"]["1000"]["langchain"]}}
    assert draw_plots(tmp_path, results) == ["latency", "ingest", "memory"]
    results["data_sets"]["1000"]["langchain"]["query"] = {"error": "broken", "date": "2026-01-02"}
    assert draw_plots(tmp_path, results) == ["ingest", "memory"]
    results["data_sets"] = {}
    assert draw_plots(tmp_path, results) == []
