"""One ONNX graph that turns the token ids of a window into a vector."""

from pathlib import Path
from typing import Any

import numpy as np

from khub.components.embedders.model_files import REMEDY, damaged, read_json
from khub.components.embedders.native_threads import native_call
from khub.components.errors import KhubError, MissingLibraryError, ModelFileError

OPTIMIZATION = "ORT_DISABLE_ALL"  # the shipped graph is optimised already, doing it again is most of the loading time
ERRORS_ONLY = 3
KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
READY_VECTOR = "sentence_embedding"  # what sentence-transformers calls its own pooled output
POOLINGS = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}


class OnnxGraph:
    """An encoder in the ONNX format, run by onnxruntime on the processor.

    Each window runs alone and in one thread: dynamic quantisation takes its scales from the whole batch, and a sum's
    order depends on the number of threads, so a vector would depend on its neighbours and on the machine's load.

    Of the outputs that one counts that is called `sentence_embedding`, else the first with an axis for tokens (pooled
    by mean, or by the first token if `1_Pooling/config.json` says so), else the first (a vector as it is).

    :param file: the graph; it is loaded at once. One object may be used from several threads.
    :param folder: the model's folder, which `1_Pooling/config.json` is looked for in.
    :param sample: token ids of any valid window.
    :raises MissingLibraryError: when onnxruntime cannot be imported.
    :raises KhubError: when the graph is damaged, or is none of this kind.
    """

    def __init__(self, file: Path, folder: Path, sample: np.ndarray) -> None:
        self._file = file
        self._session = open_session(file)
        self._inputs = self._known_inputs()
        self._output, self._pooling = "", ""
        self.pooling_file: Path | None = None
        self._choose_output(sample, folder / "1_Pooling" / "config.json")
        self.dimension = len(self.embed(sample))

    def embed(self, ids: np.ndarray) -> np.ndarray:
        """Run one window.

        :param ids: token ids, special tokens included, int64 (length).
        :returns: the window's vector, float32 (dimension), of unit length.
        :raises KhubError: when the graph cannot take such a window.
        """
        output = self._run([self._output], ids)[0][0].astype(np.float32)
        if self._pooling:
            output = output[0] if self._pooling == "cls" else output.mean(axis=0)
        if not np.isfinite(output).all():
            raise damaged(self._file, "it gives numbers that are not finite")
        return unit(output)

    def _known_inputs(self) -> list[str]:
        names = [given.name for given in self._session.get_inputs()]
        if "input_ids" not in names or set(names) - set(KNOWN_INPUTS):
            raise ModelFileError(
                f"the graph {self._file} asks for {', '.join(names)}",
                f"export it as a text encoder with the inputs {', '.join(KNOWN_INPUTS)}",
            )
        return names

    def _choose_output(self, sample: np.ndarray, pooling_file: Path) -> None:
        names = [given.name for given in self._session.get_outputs()]
        outputs = dict(zip(names, self._run(names, sample), strict=True))
        hidden = [n for n, o in outputs.items() if np.shape(o)[:2] == (1, len(sample)) and np.ndim(o) == 3]
        ready = [name for name, output in outputs.items() if np.ndim(output) == 2 and len(output) == 1]
        if READY_VECTOR in ready:
            self._output = READY_VECTOR
        elif hidden:
            self._output, self._pooling = hidden[0], _read_pooling(pooling_file)
            self.pooling_file = pooling_file if pooling_file.is_file() else None
        elif ready:
            self._output = ready[0]
        else:
            shapes = ", ".join(f"{name} {np.shape(output)}" for name, output in outputs.items())
            raise ModelFileError(
                f"the graph {self._file} gives no vectors for a window of {len(sample)} tokens, but {shapes}",
                "export it with an output (batch, tokens, dimension) or (batch, dimension)",
            )

    def _run(self, outputs: list[str], ids: np.ndarray) -> list[np.ndarray]:
        row = ids[np.newaxis]
        every = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        try:
            with native_call():
                found: list[np.ndarray] = self._session.run(outputs, {name: every[name] for name in self._inputs})
                return found
        except KhubError:
            raise
        except Exception as error:  # onnxruntime's own types have no other common base
            raise ModelFileError(
                f"the graph {self._file} fails on a window of {len(ids)} tokens with ids up to {ids.max()}"
                f" ({' '.join(str(error).split())[:300]})",
                "the tokenizer may belong to another model, or max_tokens in config.json is too large: " + REMEDY,
            ) from error


def unit(vector: np.ndarray) -> np.ndarray:
    """Return a vector at unit length, float32; the first axis in place of a vector without a direction."""
    norm = np.linalg.norm(vector)
    found: np.ndarray = np.eye(1, len(vector))[0] if not norm > 0 else vector / norm
    return found.astype(np.float32)


def open_session(file: Path) -> Any:
    """Return a graph, ready to run on the processor in one thread.

    :raises MissingLibraryError: when onnxruntime cannot be imported.
    :raises KhubError: when the file is damaged.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingLibraryError(
            f"the Python package onnxruntime cannot be imported ({error}), which {file} needs",
            "pip install onnxruntime, or choose the fast model in the graph (model: khub-fast)",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, OPTIMIZATION)
    options.log_severity_level = ERRORS_ONLY
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own types have no other common base
        raise damaged(file, error) from error


def _read_pooling(file: Path) -> str:
    """Return "mean" or "cls"; what sentence-transformers wrote, if anything."""
    if not file.is_file():
        return "mean"
    config = read_json(file)
    wanted = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    poolings = [str(config["pooling_mode"])] if "pooling_mode" in config else [POOLINGS.get(k, k) for k in wanted]
    if poolings not in (["mean"], ["cls"]):
        raise ModelFileError(
            f"{file} asks for the pooling {' and '.join(poolings) or '(none)'}",
            "choose a model with mean or cls pooling",
        )
    return poolings[0]
