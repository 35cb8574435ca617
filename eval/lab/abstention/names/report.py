"""The section of `abstention.md` on names: how many questions are turned away, rightly and wrongly."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from khub.eval.lab.abstention.names.questions import OF_ALL
from khub.eval.retrieve.figures import markdown_table

HEADING = "## Names in another language than the documents'"
NOTES = """\
Questions in one language, about documents in the other (`eval/lab/abstention/names`, written with the documents; those
on news are about articles that are not in the repository). By lot, one half was there to choose by, the other to
measure alone. **turned away**: the answer abstains, of the questions that the documents answer, and of those that they
do not; **named**: it says of a name or code that no document holds it; **in doubt**: either, or its first line says
that the documents may not answer. *mixed* holds all documents of the repository, in both languages."""
KINDS = ("person", "place", "firm", "format", "code", "none")
COLUMNS = ["questions", "documents", "half", "answered", "turned away", "named", "in doubt"]
COLUMNS += ["not answered", "turned away", "named", "in doubt"]
LANGUAGES = {"en": "English", "zh": "Chinese"}


def markdown(results: Mapping[str, Any]) -> str:
    """Return the section: a table by language and half, one by what is named."""
    rows = results["rows"]
    command = f"`python -m khub.eval.lab.abstention.names{' --news FILE' if results['news'] else ''}`"
    load = f", load {results['load']}" if results["load"] else ""
    head = f"{command}, {results['machine']}, {results['date']}{load}; graph `{results['graph']}`."
    groups = [
        (language, documents, half)
        for language in LANGUAGES
        for documents in ("in the other language", OF_ALL)
        for half in ("choose", "measure", "both")
    ]
    cells = [[LANGUAGES[g[0]], g[1], g[2], *_counts(_of_group(rows, *g))] for g in groups]
    parts = [HEADING, head, NOTES, markdown_table(COLUMNS, 3, cells)]
    own = [row for row in rows if row["language"] == "en" and row["asked_of"] != OF_ALL]
    by_kind = [[kind, *_counts([row for row in own if row["kind"] == kind])] for kind in KINDS]
    return "\n\n".join([*parts, markdown_table(["English, by what is named", *COLUMNS[3:]], 1, by_kind)]) + "\n"


def _of_group(rows: Iterable[Mapping[str, Any]], language: str, documents: str, half: str) -> list[Mapping[str, Any]]:
    return [
        row
        for row in rows
        if row["language"] == language
        and (row["asked_of"] == OF_ALL) == (documents == OF_ALL)
        and half in (row["half"], "both")
    ]


def _counts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for answerable in (True, False):
        some = [row for row in rows if row["answerable"] == answerable]
        found += [len(some), sum(row["abstained"] for row in some), sum(row["named"] for row in some)]
        found.append(sum(row["abstained"] or row["named"] or row["unsure"] for row in some))
    return [str(count) for count in found]
