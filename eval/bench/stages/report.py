"""`stages.md`: what the hub's own stages add to a query."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[2] / "results"
NOTES = """\
The graph is asked as it is, and by turns, in the same process, a copy of it in which the hub's own stages
({replayed}) hand on what they gave for the same question before, without any work; Haystack schedules and copies
the same in both. The difference, question by question, is what these stages cost, their guards included; of the
processor's time, too, which other programs on the machine delay less. The questions' embedder is `{model}`."""
ROUNDS = {"first": "for the first time", "again": "again"}


def write_report(folder: Path, results: Mapping[str, Any]) -> str:
    """Write `stages.json` and `stages.md`, and return the latter.

    :param folder: gets both.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stages.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = markdown(results)
    (folder / "stages.md").write_text(text, encoding="utf-8")
    return text


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    load = f", load {results['load']}" if results["load"] else ""
    notes = NOTES.format(replayed=", ".join(results["replayed"]), model=results["model"])
    lines = [
        f"# The stages of {results['graph']} on {results['chunks']:,} chunks",
        "",
        f"{results['machine']}, {results['date']}{load}. Written by `python -m eval.bench.stages`.",
        "",
        notes,
        "",
        "| asked | questions | whole p50 ms | without own p50 ms | own stages p50 ms | p95 ms | processor p50 ms |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, words in ROUNDS.items():
        row = results[name]
        lines.append(
            f"| {words} | {row['questions']} | {row['whole_ms']['p50']} | {row['passing_ms']['p50']} "
            f"| {row['own_ms']['p50']} | {row['own_ms']['p95']} | {row['own_processor_ms']['p50']} |"
        )
    stages = list(results["first"]["stages_ms"])
    lines += [
        "",
        "Median ms inside each stage, in a third copy with a clock at each of them. *copies* are Haystack's deep",
        "copies between the stages; the two legs run at the same time; the rest of the total is scheduling and trace.",
        "",
        f"| asked | {' | '.join(stages)} | copies | total |",
        f"| --- |{' ---: |' * (len(stages) + 2)}",
    ]
    for name, words in ROUNDS.items():
        row = results[name]
        cells = [row["stages_ms"][stage] for stage in stages] + [row["copies_ms"], row["clocked_ms"]]
        lines.append(f"| {words} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"
