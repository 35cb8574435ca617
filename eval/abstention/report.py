"""`abstention.md`: how well the confidence tells questions that a collection answers from those that it does not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.retrieve.figures import markdown_table

RESULTS = Path(__file__).parents[1] / "results"
NOTES = """\
Every collection is asked its own questions, and those of the other sets, which it does not answer; a set with the same
passages in another language is left out. Coefficients are fitted on one half of the questions by logistic regression,
every collection weighing the same, and so is the bound of the confidence: the highest that turns away no more than 5 %
of that half's answered questions. The table is of the other half: **right** of the questions without an answer, the
share that is turned away; **wrong** of those with one, likewise. Percent."""


def write_report(folder: Path, results: Mapping[str, Any]) -> str:
    """Write `abstention.json` and `abstention.md`, and return the latter.

    :param folder: gets both.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "abstention.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = markdown(results)
    (folder / "abstention.md").write_text(text, encoding="utf-8")
    return text


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    load = f", load {results['load']}" if results["load"] else ""
    asked = f"graph `{results['graph']}`, {results['questions']:,} questions"
    head = f"{results['machine']}, {results['date']}{load}; {asked}."
    kinds = {"as shipped": results["shipped"], "fitted anew": results["fitted"]}
    columns = ["", *results["signs"], "constant", "bound"]
    rows = [[name, *map(str, kind["coefficients"]), f"{kind['bound']:.3f}"] for name, kind in kinds.items()]
    parts = ["# Abstention", head, "`python -m eval.abstention SET…`", NOTES, markdown_table(columns, 1, rows)]
    columns = ["collection", *(f"{name}: {what}" for name in kinds for what in ("right", "wrong"))]
    names = [*results["shipped"]["collections"], "**mean**"]
    cells = [
        [name, *(_percent(kind, name, what) for kind in kinds.values() for what in ("right", "wrong"))]
        for name in names
    ]
    return "\n\n".join([*parts, markdown_table(columns, 1, cells)]) + "\n"


def _percent(kind: Mapping[str, Any], name: str, what: str) -> str:
    return f"{100 * kind['collections'].get(name, kind['mean'])[what]:.1f}"
