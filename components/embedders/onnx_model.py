"""A text encoder in the ONNX format: texts to vectors, without torch."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from khub.components.embedders.model_files import REMEDY, damaged, read_json
from khub.components.embedders.native_threads import available_cores, run_each
from khub.components.embedders.onnx_graph import OnnxGraph, unit
from khub.components.embedders.piece_tokenizer import PieceTokenizer
from khub.components.embedders.prefixes import Prefixes
from khub.components.errors import KhubError, ModelFileError

DEFAULT_MAX_TOKENS = 256
PLACES = ("model.onnx", "onnx/model.onnx")
WEIGHTS_BESIDE = ("model.onnx_data", "model.onnx.data")  # large graphs keep them in a file of their own


class OnnxModel:
    """A model folder with `model.onnx` (or `onnx/model.onnx`), as sentence-transformers and optimum export it.

    Beside the graph lie `tokenizer.json` and `config.json` (`languages`, `max_tokens`, `query_prefix`,
    `passage_prefix`). A text with more tokens than a window holds is embedded in windows of equal length, and its
    vector is the mean of theirs, weighted by their tokens: nothing is cut. The vector of a text is the same bit for bit
    whatever is embedded with it, and in however many threads. One object may be used from several threads.

    :param folder: the model's folder; it is read at once.
    :param threads: how many windows are computed at the same time; 0 for as many as the process may use processors.
    :raises MissingLibraryError: when onnxruntime cannot be imported.
    :raises KhubError: when a file is missing, damaged or does not fit the others.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        file = onnx_file(folder)
        if file is None:
            raise ModelFileError(f"model file {folder / PLACES[0]} is missing", REMEDY)
        config = folder / "config.json"
        settings = read_json(config)
        self._threads = threads or available_cores()
        self._tokenizer = PieceTokenizer(folder)
        self._before, self._after = self._tokenizer.special
        self._languages = _languages(settings, config)
        max_tokens = settings.get("max_tokens") or self._tokenizer.truncation or DEFAULT_MAX_TOKENS
        self._window = _window(max_tokens, len(self._before) + len(self._after), config)
        self._graph = OnnxGraph(file, folder, self._in_special(np.empty(0, dtype=np.int64)))
        self._graph.embed(self._in_special(np.array([self._tokenizer.highest_id])))  # fails if its rows are too few
        deciding = [file, *(file.with_name(name) for name in WEIGHTS_BESIDE)]
        deciding += [folder / "tokenizer.json"]
        deciding += [self._graph.pooling_file] if self._graph.pooling_file else []
        self._prefixes = Prefixes.of(settings, config)
        keys = {"max_tokens": max_tokens, **self._prefixes._asdict()}
        self._fingerprint = _fingerprint([path for path in deciding if path.is_file()], keys)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._graph.dimension

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that the model knows, such as `("en", "zh")`; empty when its card names none."""
        return self._languages

    @property
    def prefixes(self) -> Prefixes:
        """What the model wants before a question and before a passage."""
        return self._prefixes

    @property
    def fingerprint(self) -> str:
        """First 16 hexadecimal digits of the sha256 of the files and settings that decide a vector."""
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts of any length; a text without tokens gets a vector, too.

        :param texts: the texts; the vector of each is independent of the others.
        :returns: float32 array (number of texts, dimension); each row has unit length.
        :raises KhubError: when it is not a list of strings, or when the graph cannot take a window.
        """
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise KhubError(
                "texts to embed have to be a list of strings", "put the text into a list", code="embedding_failed"
            )
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        windows = [self._windows(ids) for ids in self._tokenizer.encode(list(places))]
        vectors = self._embed([window for several in windows for window in several])
        ends = np.cumsum([0, *(len(several) for several in windows)])
        unique = np.empty((len(places), self.dimension), dtype=np.float32)
        for place, several in enumerate(windows):
            own = vectors[ends[place] : ends[place + 1]]
            unique[place] = own[0] if len(several) == 1 else _weighted_mean(own, several)
        return unique[[places[text] for text in texts]]

    def _windows(self, ids: np.ndarray) -> list[np.ndarray]:
        return np.array_split(ids, max(1, -(-len(ids) // self._window)))

    def _embed(self, windows: list[np.ndarray]) -> np.ndarray:
        vectors = np.empty((len(windows), self.dimension), dtype=np.float32)

        def embed(place: int) -> None:
            vectors[place] = self._graph.embed(self._in_special(windows[place]))

        longest_first = sorted(range(len(windows)), key=lambda place: -len(windows[place]))
        run_each(embed, longest_first, self._threads)
        return vectors

    def _in_special(self, ids: np.ndarray) -> np.ndarray:
        return np.concatenate([self._before, ids, self._after])


def onnx_file(folder: Path) -> Path | None:
    """Return the graph of a model folder, None where there is none."""
    return next((folder / place for place in PLACES if (folder / place).is_file()), None)


def _weighted_mean(vectors: np.ndarray, windows: list[np.ndarray]) -> np.ndarray:
    tokens = np.array([len(window) for window in windows], dtype=np.float64)
    return unit((vectors * tokens[:, np.newaxis]).sum(axis=0))  # the direction of the sum is that of the mean


def _languages(settings: dict[str, Any], config: Path) -> tuple[str, ...]:
    languages = settings.get("languages", [])
    if not isinstance(languages, list):
        raise damaged(config, f"'languages' is {languages!r}, it has to be a list")
    return tuple(str(code) for code in languages)


def _window(max_tokens: Any, special: int, config: Path) -> int:
    if not isinstance(max_tokens, int) or max_tokens <= special:
        raise damaged(config, f"'max_tokens' is {max_tokens!r}, it has to be above {special}")
    return max_tokens - special


def _fingerprint(files: list[Path], settings: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for path in files:
        with path.open("rb") as file:
            digest.update(b"\0" + path.name.encode() + b"\0" + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
