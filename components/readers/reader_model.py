"""The reader's graph: does a passage answer a question, and where; is a claim supported."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khub.components.embedders.model_files import REMEDY, damaged, read_json, read_tokenizer
from khub.components.embedders.model_folder import find_model
from khub.components.embedders.native_threads import available_cores, native_call, run_each
from khub.components.embedders.onnx_graph import open_session
from khub.components.errors import KhubError, ModelFileError
from khub.components.readers.read_window import WINDOW, Window, read_window

GRAPH, SETTINGS = "reader.onnx", "reader.json"
VERDICTS = ("supported", "refuted", "not_found")
_loading = threading.Lock()


class Reading(NamedTuple):
    """What a reader says of a passage.

    :ivar logit: that it answers: above 0 more likely than not.
    :ivar first: of each character of the passage the probability that the evidence begins there, float32 (characters).
    :ivar verdict: probabilities that the question, read as a claim, is supported, refuted, not found; float32 (3).
    """

    logit: float
    first: np.ndarray
    verdict: np.ndarray


class Read(NamedTuple):
    """What is read.

    :ivar passage: its text.
    :ivar head: title and headings above it.
    :ivar sought: in which words its window is sought, where it is in another language than the question.
    """

    passage: str
    head: str = ""
    sought: str = ""


class ReaderModel:
    """A folder with `reader.onnx`, `reader.json` and the `tokenizer.json` of the encoder that it was made of.

    Each pair runs alone and in one thread, as in `OnnxGraph`: what is said of it depends on no other.

    :param folder: read at once. One object may be used from several threads.
    :param threads: how many pairs are read at the same time; 0 for as many as the process may use processors.
    :raises MissingLibraryError: when onnxruntime cannot be imported.
    :raises ModelFileError: when a file is missing or damaged.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._file = folder / GRAPH
        if not self._file.is_file():
            raise ModelFileError(f"model file {self._file} is missing", REMEDY)
        window = read_json(folder / SETTINGS).get("max_tokens", WINDOW)
        if not isinstance(window, int) or not 0 < window <= WINDOW:
            raise damaged(folder / SETTINGS, f"'max_tokens' is {window!r}, it has to be from 1 to {WINDOW}")
        self._window = window
        self._threads = threads or available_cores()
        self._tokenizer = read_tokenizer(folder / "tokenizer.json")
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True  # the names of special tokens inside a text are text
        self._session = open_session(self._file)

    def read(self, question: str, passages: Sequence[Read]) -> list[Reading]:
        """Read a question (or a claim) with each of the passages.

        :raises ModelFileError: when the graph cannot take a pair.
        """
        found: list[Reading | None] = [None] * len(passages)

        def judge(place: int) -> None:
            one = passages[place]
            head, sought = _utf8(one.head), _utf8(one.sought)
            window = read_window(self._tokenizer, _utf8(question), _utf8(one.passage), self._window, head, sought)
            found[place] = self._judge(window, len(one.passage))

        run_each(judge, range(len(passages)), self._threads)
        return [one for one in found if one is not None]

    def _judge(self, window: Window, characters: int) -> Reading:
        ids = np.array([window.ids])
        sides = np.zeros_like(ids)
        sides[0, window.question :] = 1
        logit, verdict, ends = self._run({"input_ids": ids, "sides": sides})
        if not np.isfinite(logit).all() or not np.isfinite(ends).all():
            raise damaged(self._file, "it gives numbers that are not finite")
        first = np.zeros(characters, dtype=np.float32)
        shares = _softmax(ends[0, window.question :, 0])
        for share, (start, end) in zip(shares.tolist(), window.offsets, strict=True):
            if end > start:
                first[end - 1] += share
        return Reading(float(logit[0, 0]), first, _softmax(verdict[0]))

    def _run(self, given: dict[str, np.ndarray]) -> Any:
        try:
            with native_call():
                return self._session.run(["answers", "verdict", "ends"], given)
        except KhubError:
            raise
        except Exception as error:  # onnxruntime's own types have no other common base
            said = " ".join(str(error).split())[:300]
            raise ModelFileError(f"the graph {self._file} fails on a pair ({said})", REMEDY) from error


def load_reader(model: str, threads: int = 0) -> ReaderModel:
    """Load a reader, or return the one that this process has loaded already.

    :param model: name of a shipped model, or path of a folder, beside whose graph a reader lies.
    :raises KhubError: as `ReaderModel`, or when there is no such folder.
    """
    with _loading:
        return _load(find_model(model), threads)


@functools.lru_cache(maxsize=2)
def _load(folder: Path, threads: int) -> ReaderModel:
    return ReaderModel(folder, threads)


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(initial=0.0))
    found: np.ndarray = powers / max(float(powers.sum()), 1e-9)
    return found.astype(np.float32)


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair has no UTF-8
