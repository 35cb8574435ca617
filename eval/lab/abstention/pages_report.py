"""`abstention-pages.md`: how well the confidence tells, on real PDFs, what they answer from what they do not."""

from collections.abc import Mapping
from typing import Any

from eval.retrieve.figures import NOTHING, markdown_table

NOTES = """\
Each question is put to the collection that its document is in, and to that document alone; a question about things
elsewhere to every collection. **Right** of the questions without an answer, the share whose confidence is below the
bound; **wrong** of those with one, likewise. Percent. The coefficients are fitted, and the bound is chosen, on the
documents of the half `calibration`; no document of the half `test` is among them. Half of the questions without an
answer are near misses (`eval/pages/abstention/README.md`)."""
RELIABILITY = """\
How often a page with the answer is that of one of the first five passages, by the confidence of the answer. Half of the
questions have no answer, so that it is not found."""
KINDS = ("near miss", "elsewhere")
TITLES = {"shipped": "as shipped", "chosen": "as shipped, bound chosen", "fitted": "fitted anew"}


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    asked = f"graph `{results['graph']}`, {results['questions']:,} questions asked"
    head = f"{results['machine']}, {results['date']}; {asked}."
    rows = [
        [title, *(f"{c:.2f}" for c in results[way]["coefficients"]), f"{results[way]['bound']:.3f}"]
        for way, title in TITLES.items()
    ]
    parts = ["# Abstention on pages", head, "`python -m eval.lab.abstention.pages LONG_DOCUMENTS MANUALS`", NOTES]
    parts.append(markdown_table(["", *results["signs"], "constant", "bound"], 1, rows))
    for half in ("test", "calibration"):
        parts += [f"## Half `{half}`", _shares(results, half)]
    parts += ["## Reliability", RELIABILITY, _reliability(results)]
    return "\n\n".join(parts) + "\n"


def _shares(results: Mapping[str, Any], half: str) -> str:
    rows = [
        [group, title, _percent(shares, "answered"), *(_percent(shares, kind) for kind in KINDS)]
        for way, title in TITLES.items()
        for group, shares in results[way]["halves"][half]["groups"].items()
    ]
    return markdown_table(["searched", "confidence", "wrong", *(f"right, {kind}" for kind in KINDS)], 2, rows)


def _percent(shares: Mapping[str, float], kind: str) -> str:
    return f"{100 * shares[kind]:.1f}" if kind in shares else NOTHING


def _reliability(results: Mapping[str, Any]) -> str:
    measured = results["shipped"]["halves"]["test"]
    rows = [
        [
            f"{one['low']:.1f}–{one['low'] + 0.1:.1f}",
            str(one["questions"]),
            f"{one['confidence']:.2f}",
            f"{one['found']:.2f}",
        ]
        for one in measured["bins"]
    ]
    table = markdown_table(["confidence", "questions", "mean confidence", "answer found"], 1, rows)
    return f"{table}\n\nExpected calibration error, half `test`: {measured['error']:.3f}."
