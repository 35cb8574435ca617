"""Add cases to a golden set."""

import json
from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import GoldenSetError
from khub.components.home import hub_home
from khub.eval.cases import Case, read_cases
from khub.eval.evaluators.matching import normalised
from khub.eval.run.golden_set import GOLDEN, SUFFIX


def set_file(name: str | None) -> Path:
    """Return the file of a golden set, which need not be there yet.

    :param name: a name in eval/golden, or a file that ends in .jsonl; None for the hub's own, `eval/golden.jsonl` in
        its home: questions about private documents belong beside them.
    """
    if name is None:
        return hub_home() / "eval" / f"golden{SUFFIX}"
    return Path(name).expanduser().absolute() if name.endswith(SUFFIX) else GOLDEN / f"{name}{SUFFIX}"


def add_cases(file: Path, cases: Sequence[Case]) -> list[Case]:
    """Add cases behind those of a set; one whose question the set has already is passed over.

    :param file: made if it is not there.
    :returns: those that were added.
    :raises KhubError: when the set cannot be read, or has another question of the same id.
    """
    there = read_cases(file) if file.is_file() and file.read_text(encoding="utf-8-sig").strip() else []
    questions, ids = {normalised(case.question) for case in there}, {case.id for case in there}
    new: list[Case] = []
    for case in cases:
        if normalised(case.question) in questions:
            continue
        if case.id in ids:
            raise GoldenSetError(f"{file} has another question of the id {case.id!r}", "give this one another id")
        questions.add(normalised(case.question))
        ids.add(case.id)
        new.append(case)
    if new:
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        gap = "\n" if before and not before.endswith("\n") else ""
        lines = "".join(json.dumps(case.as_dict(), ensure_ascii=False) + "\n" for case in new)
        with file.open("a", encoding="utf-8", newline="\n") as opened:
            opened.write(gap + lines)
    return new
