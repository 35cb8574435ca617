"""Drafts of questions: a YAML file that a person reads and edits, and that no run takes for a golden set."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from khub.components.errors import FileError, GoldenSetError
from khub.components.text.nearest_name import nearest
from khub.eval.cases import Case
from khub.eval.evaluators.matching import normalised
from khub.eval.run.fingerprints import digest
from khub.eval.synth.draft_row import DraftRow

SUFFIXES = (".yaml", ".yml")
HEAD = """\
# Drafts of questions. None of them counts in any run until it has been accepted.
# Read each one: would a person ask this, is the answer right, does the evidence prove it, is it the only place?
# Mend what is wrong (all keys may be edited), and set accepted: true. Then take the accepted ones into a golden set:
#   khub synth --accept THIS_FILE
"""
NOT_OF_THE_CASE = ("accepted", "by")
KEYS = ("accepted", "id", "question", "language", "kind", "answer", "relevant", "source", "page", "evidence", "by")


@dataclass(frozen=True)
class Draft:
    """A question that nobody has looked at yet.

    :param language: `zh` or `en`.
    :param kind: as in `khub.eval.cases`.
    :param source: the document, from its folder, with `/` between folders.
    :param page: from 1; None for formats without pages.
    :param evidence: a quote of the document that answers it.
    :param by: the rule, or the model, that wrote it.
    """

    question: str
    language: str
    kind: str
    answer: str
    source: str
    page: int | None
    evidence: str
    by: str

    @property
    def id(self) -> str:
        """Its name: the same question about the same document is called the same."""
        return f"draft-{digest([self.source, normalised(self.question)])[:10]}"

    def as_row(self) -> DraftRow:
        """Return it as it stands in the file."""
        return cast(DraftRow, {"accepted": False, "id": self.id, **asdict(self)})


def add_drafts(file: Path, drafts: Sequence[Draft]) -> int:
    """Write drafts behind those that a file has already, which stay as they have been edited.

    :param file: made if it is not there.
    :param drafts: those whose question the file has are left out.
    :returns: how many were added.
    :raises KhubError: when the file is no file of drafts.
    """
    known = {normalised(str(row.get("question"))) for row in (read_rows(file) if file.exists() else [])}
    check_name(file)
    new = []
    for draft in drafts:
        if normalised(draft.question) not in known:
            known.add(normalised(draft.question))
            new.append(draft.as_row())
    if not new:
        return 0
    text = yaml.safe_dump(new, sort_keys=False, allow_unicode=True, width=10_000)
    before = file.read_text(encoding="utf-8") if file.exists() else HEAD
    file.parent.mkdir(parents=True, exist_ok=True)
    gap = "" if before.endswith("\n") else "\n"
    file.write_text(f"{before}{gap}{text}", encoding="utf-8", newline="\n")
    return len(new)


def check_name(file: Path) -> None:
    """Refuse a name that a golden set may have.

    :raises KhubError: when it does not end in .yaml.
    """
    if file.suffix not in SUFFIXES:
        raise FileError(f"drafts cannot be written to {file}", "name a file that ends in .yaml: a golden set it is not")


def accepted_cases(file: Path) -> list[Case]:
    """Return the drafts that a person has accepted.

    :raises KhubError: naming the draft, the key and the remedy, when one of them is no whole case.
    """
    return [_case(row, f"{file}: draft {number}") for number, row in enumerate(read_rows(file), 1) if row["accepted"]]


def read_rows(file: Path) -> list[DraftRow]:
    """Read a file of drafts.

    :raises KhubError: when it cannot be read, or an entry has no `accepted` that is true or false.
    """
    try:
        rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise GoldenSetError(f"{file} cannot be read", error.strerror or str(error)) from error
    except (ValueError, yaml.YAMLError) as error:
        raise GoldenSetError(f"{file} is not YAML: {error}", "mend it, or draft anew into another file") from error
    rows = [] if rows is None else rows
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise GoldenSetError(f"{file} holds no list of drafts", "name a file that khub synth has written")
    for number, row in enumerate(rows, start=1):
        for key in row:
            if key not in KEYS and (meant := nearest(str(key), KEYS, "")):
                raise GoldenSetError(f"{file}: draft {number}: unknown key {key!r}", meant)
        if not isinstance(row.get("accepted"), bool):
            message = f"{file}: draft {number}: accepted is {row.get('accepted')!r}"
            raise GoldenSetError(message, "write true or false")
    return rows


def _case(row: Mapping[str, Any], where: str) -> Case:
    fields = {key: value for key, value in row.items() if key not in NOT_OF_THE_CASE}
    if "relevant" in fields:
        fields = {key: value for key, value in fields.items() if key not in ("source", "page", "evidence")}
    return Case.from_dict(fields, where)
