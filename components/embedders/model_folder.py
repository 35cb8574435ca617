"""Finds a model by its name and loads it once for the whole process."""

import functools
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from components.embedders.static_model import StaticModel
from components.errors import KhubError

SHIPPED = Path(__file__).parent / "models"
_loading = threading.Lock()


class EmbeddingModel(Protocol):
    """What an embedder needs of a model, whatever its kind."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that the model knows; empty when not stated."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; two models with the same fingerprint give the same vectors."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; float32 array (number of texts, dimension) with rows of unit length."""


def shipped_models() -> list[str]:
    """Return the names of the models that come with the hub, sorted."""
    return sorted(config.parent.name for config in SHIPPED.glob("*/config.json"))


def load_model(model: str) -> EmbeddingModel:
    """Load a model, or return the one that this process has loaded already.

    :param model: name of a shipped model, or path of a model folder (`~` is the user's home).
    :returns: the model, shared by all who ask for the same folder; a folder that has changed since is read anew.
    :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
    """
    folder = _find(model)
    with _loading:
        return _load(folder, _state(folder))


def _find(model: str) -> Path:
    if model in shipped_models():
        return SHIPPED / model
    path = Path(model).expanduser()
    if model and path.is_dir():
        return path.resolve()
    raise KhubError(
        f"there is no embedding model '{model}'",
        f"name a shipped model ({', '.join(shipped_models())}) or the path of a model folder",
    )


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    with os.scandir(folder) as entries:
        files = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in files))


@functools.lru_cache(maxsize=4)
def _load(folder: Path, state: tuple[tuple[str, int, int], ...]) -> EmbeddingModel:  # noqa: ARG001 - part of the key
    return StaticModel(folder)
