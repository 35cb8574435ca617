"""A cross-encoder in the ONNX format: a question with each passage to a score, without torch."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, component
from tokenizers import Encoding, Tokenizer

from khub.components.embedders.model_files import REMEDY, damaged, read_tokenizer
from khub.components.embedders.native_threads import available_cores, native_call, run_each
from khub.components.embedders.onnx_graph import KNOWN_INPUTS, open_session
from khub.components.embedders.onnx_model import PLACES, onnx_file
from khub.components.errors import KhubError, ParameterError
from khub.components.text.chunk_text import embedded_text


@component
class OnnxCrossEncoder:
    """Ranks passages by a model that reads each together with the question; it belongs into a `BoundedRanker`.

    The model is a folder with `model.onnx` (or `onnx/model.onnx`), quantised or not, and `tokenizer.json`, as
    sentence-transformers and optimum export cross-encoders. A passage is read under its title and headings.
    """

    def __init__(
        self, folder: str, top_k: int | None = None, max_length: int = 512, batch_size: int = 1, threads: int = 0
    ) -> None:
        """Keep the parameters; the model is loaded at first need.

        :param folder: the model's (`~` is the user's home).
        :param top_k: so many passages are given back, the best; None for all.
        :param max_length: tokens of question and passage together; of what is more, the longer of both loses
            its end.
        :param batch_size: passages that the model reads at a time. The scores of a quantised model depend a little on
            what is read with a passage, but where this is 1.
        :param threads: how many batches are read at the same time, 0 for all processors.
        :raises GraphError: when a number is out of bounds.
        """
        lowest = {"top_k": (top_k, 1), "max_length": (max_length, 8), "batch_size": (batch_size, 1)}
        for name, (value, least) in {**lowest, "threads": (threads, 0)}.items():
            if value is not None and value < least:
                raise ParameterError(f"OnnxCrossEncoder has {name}={value}", f"give {least} or more")
        self.folder = folder
        self.top_k = top_k
        self.max_length = max_length
        self.batch_size = batch_size
        self.threads = threads
        self._loading = threading.Lock()
        self._loaded: tuple[Tokenizer, Any, Path] | None = None

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when a file is missing or damaged, or when onnxruntime cannot be imported.
        """
        with self._loading:
            self._loaded = self._loaded or self._load()

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        """Score the passages.

        :param query: the question.
        :param documents: the passages.
        :returns: `documents`, the best first, with `score` from 0 to 1 (the sigmoid of what the model gives).
        :raises KhubError: as `warm_up`, or when the model gives no score for a pair.
        """
        self.warm_up()
        scores = self._scores(query, [embedded_text(document) for document in documents])
        ranked = sorted(zip(scores.tolist(), documents, strict=True), key=lambda pair: -pair[0])
        return {"documents": [replace(document, score=score) for score, document in ranked[: self.top_k]]}

    def _load(self) -> tuple[Tokenizer, Any, Path]:
        folder = Path(self.folder).expanduser()
        file = onnx_file(folder)
        if file is None:
            raise KhubError(f"there is no cross-encoder {folder / PLACES[0]}", "name the folder of one in the graph")
        tokenizer = read_tokenizer(folder / "tokenizer.json")
        tokenizer.enable_truncation(self.max_length, strategy="longest_first")
        tokenizer.encode_special_tokens = True  # the names of special tokens inside a text are text
        tokenizer.no_padding()
        return tokenizer, open_session(file), file

    def _scores(self, query: str, passages: Sequence[str]) -> np.ndarray:
        tokenizer, session, file = self._loaded  # type: ignore[misc]  # warmed up
        pairs = [(_utf8(query), _utf8(passage)) for passage in passages]
        with native_call():
            encoded: list[Encoding] = tokenizer.encode_batch(pairs) if pairs else []
        order = sorted(range(len(encoded)), key=lambda place: -len(encoded[place].ids))
        scores = np.empty(len(encoded), dtype=np.float64)

        def score(start: int) -> None:
            places = order[start : start + self.batch_size]
            scores[places] = _run(session, file, [encoded[place] for place in places])

        run_each(score, range(0, len(order), self.batch_size), self.threads or available_cores())
        return scores


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair has no UTF-8


def _run(session: Any, file: Path, encoded: list[Encoding]) -> np.ndarray:
    """Return the sigmoid of what the model gives for each pair; of two classes it is the second's share."""
    length = max(len(one.ids) for one in encoded)
    rows = {
        "input_ids": [one.ids for one in encoded],
        "attention_mask": [one.attention_mask for one in encoded],
        "token_type_ids": [one.type_ids for one in encoded],
    }
    padded = {
        name: np.array([[*row, *[0] * (length - len(row))] for row in several], dtype=np.int64)
        for name, several in rows.items()
    }
    asked = [given.name for given in session.get_inputs()]
    if set(asked) - set(KNOWN_INPUTS):
        raise KhubError(f"the graph {file} asks for {', '.join(asked)}", f"export it with {', '.join(KNOWN_INPUTS)}")
    try:
        with native_call():
            logits = np.asarray(session.run(None, {name: padded[name] for name in asked})[0], dtype=np.float64)
    except KhubError:
        raise
    except Exception as error:  # onnxruntime's own types have no other common base
        raise KhubError(f"the graph {file} fails ({' '.join(str(error).split())[:300]})", REMEDY) from error
    if logits.size not in (len(encoded), 2 * len(encoded)) or not np.isfinite(logits).all():
        raise damaged(file, f"it gives {logits.shape} for {len(encoded)} pairs, a cross-encoder gives one number each")
    logits = logits.reshape(len(encoded), -1)
    return 1 / (1 + np.exp(-np.clip(logits[:, -1] - (logits[:, 0] if logits.shape[1] == 2 else 0), -60, 60)))
