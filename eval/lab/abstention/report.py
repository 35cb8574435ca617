"""`abstention.md`: how well the confidence tells questions that a collection answers from those that it does not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khub.eval.retrieve.figures import markdown_table

RESULTS = Path(__file__).parents[2] / "results"
FILE = "abstention.md"
SECTION = "\n## "
"""Begins what another measurement has written behind the tables."""

NOTES = """\
Every collection is asked its own questions, and those of the other sets, which it does not answer; a set with the
same passages in another language is left out. The coefficients are those of a logistic regression, every collection
weighing the same. **auc** is the area under the receiver operating characteristic; **right** of the questions without
an answer, the share whose confidence is below the bound; **wrong** of those with one, likewise. Percent. The bound of
*graph* is its own `min_confidence` before it was calibrated; that of *certain* the highest at which, with a certainty
of 95 %, further collections like those that were fitted on have no more than 5 % of their questions with an answer
turned away (bootstrap over the collections); that of the others the highest that turns away no more than 5 % of those
fitted on themselves."""
FITTED_ON = "Fitted, and bounds chosen, on {:,} questions for other collections alone: {}."
HALVES = "Fitted, and bounds chosen, on one half of the questions of these collections; the table is of the other half."
WHATS = ("auc", "right", "wrong")
TITLES = {
    "default": "as shipped, graph",
    "certain": "as shipped, certain",
    "shipped": "as shipped",
    "fitted": "fitted anew",
}


def write_report(folder: Path, results: Mapping[str, Any]) -> str:
    """Write `abstention.json` and `abstention.md`, and return the latter.

    :param folder: gets both.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "abstention.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = markdown(results)
    file = folder / FILE
    sections = file.read_text(encoding="utf-8").partition(SECTION)[1:] if file.is_file() else ()
    file.write_text("".join([text, *sections]), encoding="utf-8")
    return text


def write_section(folder: Path, section: str) -> None:
    """Write the section behind the tables of `abstention.md`, in place of the one that is there.

    :param section: begins with a heading of the second level.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    tables = file.read_text(encoding="utf-8").partition(SECTION)[0] if file.is_file() else "# Abstention\n"
    file.write_text(f"{tables.rstrip()}\n\n{section}", encoding="utf-8")


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    load = f", load {results['load']}" if results["load"] else ""
    asked = f"graph `{results['graph']}`, {results['questions']:,} questions"
    head = f"{results['machine']}, {results['date']}{load}; {asked}."
    columns = ["", *results["signs"], "constant", "bound"]
    rows = [
        [title, *map(str, results[kind]["coefficients"]), f"{results[kind]['bound']:.3f}"]
        for kind, title in TITLES.items()
    ]
    fit_on = (
        FITTED_ON.format(results["questions_to_fit"], ", ".join(results["fit_on"])) if results["fit_on"] else HALVES
    )
    fitting = f" --fit-on SET… --fit-questions {results['most_to_fit']}" if results["fit_on"] else ""
    command = f"`python -m khub.eval.lab.abstention SET…{fitting} --questions {results['most']}`"
    parts = ["# Abstention", head, command, NOTES, fit_on, markdown_table(columns, 1, rows)]
    columns = ["collection", *(f"{title}: {what}" for title in TITLES.values() for what in WHATS)]
    names = [*results["shipped"]["collections"], "**mean**"]
    cells = [[name, *(_percent(results[kind], name, what) for kind in TITLES for what in WHATS)] for name in names]
    return "\n\n".join([*parts, markdown_table(columns, 1, cells)]) + "\n"


def _percent(kind: Mapping[str, Any], name: str, what: str) -> str:
    return f"{100 * kind['collections'].get(name, kind['mean'])[what]:.1f}"
