"""Finds a model by its name and loads it once for the whole process."""

import functools
import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from khub.components.embedders.onnx_model import PLACES, OnnxModel, onnx_file
from khub.components.embedders.prefixes import Prefixes
from khub.components.embedders.static_model import StaticModel
from khub.components.errors import KhubError, MissingLibraryError, ModelFileError, ParameterError

SHIPPED = Path(__file__).parent / "models"
STATIC = "model.safetensors"
CONFIG = "config.json"
FOLDERS_WITH_FILES = (".", "onnx", "1_Pooling")
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
    def prefixes(self) -> Prefixes:
        """What the model wants before a question and before a passage."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; two models with the same fingerprint give the same vectors."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; float32 array (number of texts, dimension) with rows of unit length."""


def shipped_models() -> list[str]:
    """Return the names of the models that come with the hub, sorted."""
    return sorted(config.parent.name for config in SHIPPED.glob(f"*/{CONFIG}"))


def load_model(model: str, threads: int = 0) -> EmbeddingModel:
    """Load a model, or return the one that this process has loaded already.

    What lies in the folder decides of which kind it is: `model.onnx` or `onnx/model.onnx`, else `model.safetensors`.

    :param model: name of a shipped model, or path of a model folder (`~` is the user's home).
    :param threads: in how many threads the model embeds, 0 for as many as the process may use processors; vectors do
        not depend on it.
    :returns: the model, shared by all who ask for the same folder; a folder that has changed since is read anew.
    :raises MissingLibraryError: when the model needs onnxruntime, which cannot be imported.
    :raises KhubError: when there is no such model, when one of its files is missing or damaged, or when `threads` is
        below 0.
    """
    if threads < 0:
        raise ParameterError(
            f"an embedder's threads are {threads}", "set them to 1 or more, or to 0 for all processors"
        )
    folder = find_model(model)
    with _loading:
        return _load(folder, _state(folder), threads)


def load_or_replace(model: str, fallback: str | None, threads: int = 0) -> tuple[EmbeddingModel, str | None]:
    """Load a model, or another one where the library of the first cannot be imported.

    :param model: as in `load_model`.
    :param fallback: the other one; None for none.
    :param threads: as in `load_model`.
    :returns: the model; and None, or the reason why it is the other one, in one sentence.
    :raises KhubError: as `load_model`, for any other reason than a missing library.
    """
    try:
        return load_model(model, threads), None
    except MissingLibraryError as error:
        if fallback is None:
            raise
        return load_model(fallback, threads), f"{fallback} stands in for {model}: {error.message}"


def find_model(model: str) -> Path:
    """Return the folder of a model.

    :param model: as in `load_model`.
    :raises KhubError: when there is no such folder.
    """
    if model in shipped_models():
        return SHIPPED / model
    path = Path(model).expanduser()
    if model and path.is_dir():
        return path.resolve()
    raise KhubError(
        f"there is no embedding model '{model}'",
        f"name a shipped model ({', '.join(shipped_models())}) or the path of a model folder; a collection that it made"
        " moves by khub reindex --collection NAME",
        code="model_unknown",
    )


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    files: list[tuple[str, int, int]] = []
    for part in (folder / name for name in FOLDERS_WITH_FILES):
        if part.is_dir():
            with os.scandir(part) as entries:
                found = [(entry.path, entry.stat()) for entry in entries if entry.is_file()]
            files += [(path, stat.st_size, stat.st_mtime_ns) for path, stat in found]
    return tuple(sorted(files))


@functools.lru_cache(maxsize=6)
def _load(folder: Path, state: tuple[tuple[str, int, int], ...], threads: int) -> OnnxModel | StaticModel:
    if onnx_file(folder):
        return OnnxModel(folder, threads)
    if (folder / STATIC).is_file():
        return StaticModel(folder, threads)
    raise ModelFileError(
        f"the model folder {folder} holds {_listed(path for path, _, _ in state)}",
        f"it has to hold {', '.join(PLACES)} or {STATIC}, with tokenizer.json and {CONFIG}: name another model",
    )


def _listed(paths: Iterable[str]) -> str:
    names = sorted(Path(path).name for path in paths)
    return ", ".join(names[:8]) + (f" and {len(names) - 8} other files" if len(names) > 8 else "") or "no files"
