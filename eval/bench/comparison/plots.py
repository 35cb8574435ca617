"""The plots of `bench.md`, as SVG files drawn by matplotlib."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eval.bench.comparison.report import in_order, label
from eval.bench.comparison.system import TITLES

COLOURS = {"hub": "#0072b2", "langchain": "#d55e00", "haystack": "#009e73"}  # told apart by colour-blind readers, too
MARKERS = {"hub": "o", "langchain": "s", "haystack": "^"}
WIDTH, HEIGHT = 7.0, 4.2


def draw_plots(folder: Path, results: dict[str, Any]) -> list[str]:
    """Draw what can be drawn of the results.

    :param folder: gets `bench-NAME.svg`.
    :returns: the names of the plots.
    :raises ImportError: when matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "khub", "svg.fonttype": "none", "font.size": 10})
    data_sets = [(name, data) for name, data in in_order(results["data_sets"]) if data]
    return [
        name
        for name, draw in (("latency", _latency), ("ingest", _ingest), ("memory", _memory), ("stages", _stages))
        if _drawn(folder / f"bench-{name}.svg", draw, data_sets)
    ]


def _drawn(path: Path, draw: Callable[[Any, list[tuple[str, Any]]], bool], data_sets: list[tuple[str, Any]]) -> bool:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
    try:
        if drawn := draw(axes, data_sets):
            figure.savefig(path, metadata={"Date": None})  # the same figures give the same file
        return drawn
    finally:
        plt.close(figure)


def _latency(axes: Any, data_sets: list[tuple[str, Any]]) -> bool:
    drawn = _lines(axes, data_sets, "query", "p50_ms", "-", "p50")
    _lines(axes, data_sets, "query", "p95_ms", ":", "p95")
    return drawn and _scales(axes, "Query latency, warm", "milliseconds (log)")


def _ingest(axes: Any, data_sets: list[tuple[str, Any]]) -> bool:
    drawn = _lines(axes, data_sets, "ingest", "chunks_per_s", "-", "")
    return drawn and _scales(axes, "Ingest of ready-made chunks, embedding included", "chunks a second (log)")


def _memory(axes: Any, data_sets: list[tuple[str, Any]]) -> bool:
    drawn = _lines(axes, data_sets, "query", "peak_mb", "-", "query")
    drawn = _lines(axes, data_sets, "ingest", "peak_mb", ":", "ingest") or drawn
    return drawn and _scales(axes, "Peak memory of the process", "megabytes (log)")


def _stages(axes: Any, data_sets: list[tuple[str, Any]]) -> bool:
    found = [(label(n), s) for n, d in data_sets if (s := d.get("hub", {}).get("query", {}).get("stages_p50_ms"))]
    if not found:
        return False
    stages = [stage for stage in dict.fromkeys(s for _, values in found for s in values) if stage != "total"]
    width = 0.8 / len(found)
    for number, (name, values) in enumerate(found):
        places = [place + number * width for place in range(len(stages))]
        axes.bar(places, [values.get(stage, 0.0) for stage in stages], width, label=f"{name} chunks")
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(stages))], stages)
    axes.set_title("Stages of a query of the hub; dense and sparse run at the same time")
    axes.set_ylabel("milliseconds, p50")
    axes.legend(frameon=False)
    return True


def _lines(axes: Any, data_sets: list[tuple[str, Any]], measure: str, key: str, style: str, what: str) -> bool:
    drawn = False
    for system in TITLES:
        points = [
            (data[system]["ingest"]["chunks"], data[system][measure][key])
            for _, data in data_sets
            if key in data.get(system, {}).get(measure, {}) and "chunks" in data[system].get("ingest", {})
        ]
        if points:
            text = f"{system}, {what}" if what else system
            sizes, values = zip(*sorted(points), strict=True)
            axes.plot(sizes, values, style, marker=MARKERS[system], color=COLOURS[system], label=text)
            drawn = True
    return drawn


def _scales(axes: Any, title: str, unit: str) -> bool:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel("chunks (log)")
    axes.set_ylabel(unit)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    return True
