"""What a gate demands: the `thresholds.yaml` of its folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from khub.components.errors import EvaluationError, GoldenSetError
from khub.components.question import LEGS
from khub.components.text.nearest_name import nearest
from khub.eval.cases import LANGUAGES

FOLDER = Path(__file__).parent
THRESHOLDS, BASELINE = "thresholds.yaml", "baseline.json"
AT_LEAST, AT_MOST = "at_least", "at_most"


@dataclass(frozen=True)
class Bound:
    """What one metric has to reach.

    :param side: `at_least` or `at_most`.
    :param limit: the mean that is just good enough.
    :param leg: `dense` or `sparse`: the graph's ranking by this leg alone; None for its answers.
    :param language: of the questions; None for all of them.
    """

    metric: str
    side: str
    limit: float
    leg: str | None = None
    language: str | None = None

    @property
    def name(self) -> str:
        """What reports call it, such as `hit@5` or `dense.zh.recall@10`."""
        return ".".join(part for part in (self.leg, self.language, self.metric) if part)

    @property
    def column(self) -> str:
        """Where its values are, those of all languages: see `column_of`."""
        return column_of(self.leg, self.metric)

    def holds(self, mean: float) -> bool:
        """Say whether a mean is good enough."""
        return mean >= self.limit if self.side == AT_LEAST else mean <= self.limit

    def __str__(self) -> str:
        """Return it as tables show it."""
        return f"{'≥' if self.side == AT_LEAST else '≤'} {self.limit:.3f}"


@dataclass(frozen=True)
class Thresholds:
    """A gate.

    :param folder: where it lies, with its baseline.
    :param graph: the query graph that is measured.
    :param documents: the documents' folder.
    :param sets: files of golden sets.
    :param largest_fall: by how much a mean may be worse than in the baseline.
    :param p_below: a larger fall counts from this p-value down.
    :param bounds: of the metrics that need no judge; those of the legs alone come last.
    :param judged: of those that do.
    :param largest_share_missing: of a judged metric's values.
    """

    folder: Path
    graph: str
    documents: Path
    sets: tuple[Path, ...]
    largest_fall: float
    p_below: float
    bounds: tuple[Bound, ...]
    judged: tuple[Bound, ...]
    largest_share_missing: float

    @property
    def legs(self) -> list[str]:
        """The legs that have to be measured alone."""
        return list(dict.fromkeys(bound.leg for bound in self.bounds if bound.leg))


def column_of(leg: str | None, metric: str) -> str:
    """Return the name of a column of values: that of the metric, behind the leg's where it is one leg's alone."""
    return f"{leg}.{metric}" if leg else metric


def read_thresholds(folder: Path = FOLDER) -> Thresholds:
    """Read a gate.

    :param folder: it holds `thresholds.yaml`; paths in that file start from there.
    :raises KhubError: naming the file, the key and the remedy.
    """
    file = folder / THRESHOLDS
    try:
        rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise EvaluationError(f"{file} cannot be read", error.strerror or str(error)) from error
    except yaml.YAMLError as error:
        raise EvaluationError(f"{file} is not YAML: {error}", "mend it") from error
    top = _mapping(file, "", rows, ("graph", "documents", "sets", "baseline", "metrics", "judged"), ("legs",))
    fall = _mapping(file, "baseline", top["baseline"], ("largest_fall", "p_below"))
    judged = _mapping(file, "judged", top["judged"], ("largest_share_missing", "metrics"))
    return Thresholds(
        folder=folder,
        graph=str(top["graph"]),
        documents=folder / str(top["documents"]),
        sets=_sets(file, folder / str(top["sets"])),
        largest_fall=_share(file, "largest_fall", fall["largest_fall"]),
        p_below=_share(file, "p_below", fall["p_below"]),
        bounds=(*_bounds(file, "metrics", top["metrics"]), *_leg_bounds(file, top.get("legs", {}))),
        judged=_bounds(file, "judged.metrics", judged["metrics"]),
        largest_share_missing=_share(file, "largest_share_missing", judged["largest_share_missing"]),
    )


def _sets(file: Path, sets: Path) -> tuple[Path, ...]:
    found = tuple(sorted(sets.glob("*.jsonl"))) if sets.is_dir() else (sets,)
    if not found or not all(one.is_file() for one in found):
        raise GoldenSetError(
            f"{file}: sets is {str(sets)!r}, where no golden set is", "name a .jsonl file, or their folder"
        )
    return found


def _leg_bounds(file: Path, rows: Any) -> Iterator[Bound]:
    for leg, languages in _mapping(file, "legs", rows, (), LEGS).items():
        for language, metrics in _mapping(file, f"legs.{leg}", languages, (), LANGUAGES).items():
            for bound in _bounds(file, f"legs.{leg}.{language}", metrics):
                yield replace(bound, leg=leg, language=language)


def _bounds(file: Path, key: str, rows: Any) -> tuple[Bound, ...]:
    if not isinstance(rows, dict) or not rows:
        raise EvaluationError(f"{file}: {key} is {rows!r}", "name metrics, each with {at_least: …} or {at_most: …}")
    return tuple(_bound(file, f"{key}.{name}", str(name), row) for name, row in rows.items())


def _bound(file: Path, key: str, name: str, row: Any) -> Bound:
    if not isinstance(row, dict) or len(row) != 1 or next(iter(row)) not in (AT_LEAST, AT_MOST):
        raise EvaluationError(f"{file}: {key} is {row!r}", "write {at_least: …} or {at_most: …}")
    [(side, limit)] = row.items()
    return Bound(name, side, _share(file, f"{key}.{side}", limit))


def _mapping(file: Path, key: str, value: Any, keys: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """Return a mapping that has all of the keys, perhaps some of the optional ones, and no other."""
    known = [*keys, *optional]
    if not isinstance(value, dict):
        raise EvaluationError(f"{file}: {key or 'the file'} is {value!r}", f"write {', '.join(known)}")
    for name in value:
        if name not in known:
            where = f"{key}: " if key else ""
            raise EvaluationError(
                f"{file}: {where}unknown key {name!r}", nearest(str(name), known, f"use {', '.join(known)}")
            )
    for name in keys:
        if name not in value:
            raise EvaluationError(f"{file}: {key + '.' if key else ''}{name} is missing", "write it")
    return value


def _share(file: Path, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise EvaluationError(f"{file}: {key} is {value!r}", "give a number from 0 to 1")
    return float(value)
