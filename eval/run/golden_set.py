"""Golden sets by name or by file."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from khub.components.errors import GoldenSetError
from khub.components.text.nearest_name import nearest
from khub.eval.cases import Case, read_cases

GOLDEN = Path(__file__).parents[1] / "golden"
SUFFIX = ".jsonl"


@dataclass(frozen=True)
class GoldenSet:
    """A set of questions; `name` is its file's, without the suffix."""

    name: str
    cases: tuple[Case, ...]


def golden_sets(names: Sequence[str], folder: Path = GOLDEN) -> list[GoldenSet]:
    """Read sets.

    :param names: names of sets in the folder, or files that end in .jsonl; none for all sets of the folder.
    :raises KhubError: when there is no such set, a line is wrong, or two sets have a case of the same id.
    """
    files = [_file(name, folder) for name in dict.fromkeys(names)] or sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        raise GoldenSetError(f"there is no golden set in {folder}", "name a file by --set")
    sets = [GoldenSet(file.stem, tuple(read_cases(file))) for file in files]
    owner: dict[str, str] = {}
    for one in sets:
        for case in one.cases:
            if case.id in owner:
                raise GoldenSetError(f"sets {owner[case.id]} and {one.name} both have a case {case.id!r}", "rename one")
            owner[case.id] = one.name
    return sets


def refuse_unknown_sources(cases: Sequence[Case], documents: Sequence[str]) -> None:
    """Refuse cases whose places lie in files that are not there: they could only ever fail.

    :param documents: files, from the documents' folder.
    :raises KhubError: naming the first such case, and the file that may be meant.
    """
    known = {unicodedata.normalize("NFC", name) for name in documents}  # macOS lists accents apart from their letters
    for case in cases:
        for place in case.relevant:
            if unicodedata.normalize("NFC", place.source) not in known:
                remedy = nearest(place.source, known, "name the folder that has it by --documents, or mend the case")
                raise GoldenSetError(f"case {case.id} names {place.source!r}, which is not among the documents", remedy)


def _file(name: str, folder: Path) -> Path:
    file = Path(name).expanduser() if name.endswith(SUFFIX) else folder / f"{name}{SUFFIX}"
    if not file.is_file():
        known = [found.stem for found in sorted(folder.glob(f"*{SUFFIX}"))]
        remedy = nearest(name, known, f"name a file that ends in {SUFFIX}, or one of: {', '.join(known)}")
        raise GoldenSetError(f"there is no golden set {name!r}", remedy)
    return file
