"""The results so far, kept in one JSON file after every measurement."""

import json
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from khub.components.errors import EvaluationError
from khub.eval.lab.comparison.system import LEG_TOP_K, MODEL
from khub.eval.machine import machine
from khub.eval.run.files import write_file

FILE = "bench.json"
PACKAGES = (
    "knowledge-hub", "haystack-ai", "chroma-haystack", "chromadb", "tantivy", "langchain-core", "langchain-classic",
    "langchain-community", "langchain-chroma", "rank-bm25", "numpy",
)  # fmt: skip


class Results:
    """What has been measured, data set by data set.

    :param folder: where `bench.json` lies; it is made if it is new.
    :param settings: those of this run: `queries`, `top_k`, `seed`.
    :param resume: go on with what is there, instead of beginning anew.
    :raises KhubError: when the folder cannot be used, or what is there was measured with other settings.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], resume: bool) -> None:
        self.folder = folder
        wanted = {**settings, "leg_top_k": LEG_TOP_K, "model": MODEL}
        fresh: dict[str, Any] = {"settings": wanted, "machine": machine(), "versions": _versions(), "data_sets": {}}
        self.value: dict[str, Any] = (_read(folder / FILE) if resume else None) or fresh
        if self.value["settings"] != wanted:
            differing = [key for key, value in wanted.items() if self.value["settings"].get(key) != value]
            raise EvaluationError(
                f"{folder / FILE} was measured with another {' and '.join(differing)}",
                "leave --resume out to begin anew, or name another folder after --out",
            )
        self.value |= {"machine": fresh["machine"], "versions": {**self.value["versions"], **fresh["versions"]}}
        self.save()

    def get(self, data_set: str, system: str, measure: str) -> dict[str, Any] | None:
        """Return a measurement that was made and did not fail; None if there is none."""
        found: dict[str, Any] | None = self._data_set(data_set).get(system, {}).get(measure)
        return None if found is None or "error" in found else found

    def put(self, data_set: str, system: str, measure: str, figures: dict[str, Any]) -> None:
        """Keep a measurement, on disk too."""
        self._data_set(data_set).setdefault(system, {})[measure] = {**figures, "date": time.strftime("%Y-%m-%d")}
        self.save()

    def save(self) -> None:
        """Write the file."""
        write_file(self.folder / FILE, json.dumps(self.value, ensure_ascii=False, indent=1) + "\n")

    def _data_set(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.value["data_sets"].setdefault(name, {})
        return found


def _read(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    with suppress(OSError, ValueError, AttributeError):
        value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if value.keys() >= {"settings", "versions", "data_sets"}:
            return value
    raise EvaluationError(f"{path} holds no results of this command", "remove it, or leave --resume out")


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
