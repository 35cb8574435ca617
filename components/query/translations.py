"""The table of a model folder that says which search term of one language stands for which of the other."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from khub.components.embedders.model_files import damaged
from khub.components.embedders.model_folder import find_model
from khub.components.embedders.table_columns import read_columns
from khub.components.errors import KhubError

FILE = "translations.tsv"
REMEDY = "name khub-fast, write one (python eval/lab/models/train_translations.py --help), or take QueryTranslation out"

Translations = Mapping[str, tuple[tuple[str, float], ...]]
"""Search term -> terms of the other language with their weights, best first."""


def read_translations(model: str) -> Translations:
    """Return a model's table, read once for the whole process.

    :param model: name of a shipped model, or path of a model folder that has a `translations.tsv`: two search terms
        and a weight above 0 and up to 1 a line, separated by tabs.
    :returns: both directions.
    :raises KhubError: when there is no such model, or its table is missing or damaged.
    """
    path = find_model(model) / FILE
    if not path.is_file():
        raise KhubError(f"the model {model!r} has no {FILE}", REMEDY)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, mtime_ns: int) -> Translations:  # noqa: ARG001 - a changed file is another key
    try:
        ones, others, said = read_columns(path, 3)
        weights = [*map(float, said)]
    except ValueError as error:
        raise damaged(path, error) from error
    if not all(0 < weight <= 1 for weight in weights):
        wrong = next(weight for weight in weights if not 0 < weight <= 1)
        raise damaged(path, f"the weight {wrong} is not above 0 and up to 1")
    found: dict[str, list[tuple[str, float]]] = {}
    for one, other, weight in zip(ones, others, weights, strict=True):
        found.setdefault(one, []).append((other, weight))
        found.setdefault(other, []).append((one, weight))
    return {term: tuple(sorted(of, key=lambda other: (-other[1], other[0]))) for term, of in found.items()}
