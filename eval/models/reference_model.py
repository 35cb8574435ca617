"""A model run by sentence-transformers and torch, to compare the hub's own models with."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from components.embedders.native_threads import available_cores
from components.errors import KhubError, MissingLibraryError

WEIGHTS = "model.safetensors"


class ReferenceModel:
    """Embeds as sentence-transformers does by default: float32, batches of 32, texts cut at the model's window.

    :param folder: a folder that sentence-transformers can load, such as that of all-MiniLM-L6-v2.
    :param threads: threads of torch, for the whole process; 0 for as many as the process may use processors.
    :param bfloat16: compute in bfloat16, at less than half the cost; the cosine with float32 stays above 0.998.
    :param whole: read all of a longer text, window after window, and take the mean: what the hub's models do.
    :raises MissingLibraryError: when sentence-transformers is not installed.
    :raises KhubError: when the folder holds no such model.
    """

    languages: tuple[str, ...] = ()

    def __init__(self, folder: Path, threads: int, whole: bool = False, bfloat16: bool = False) -> None:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingLibraryError(
                f"all-MiniLM-L6-v2 needs the Python package sentence-transformers, which cannot be imported ({error})",
                'install the extra: pip install -e ".[local-models]" -c constraints.txt',
            ) from error
        if not (folder / WEIGHTS).is_file():
            raise KhubError(f"the folder {folder} of the model has no {WEIGHTS}", "name the folder of all-MiniLM-L6-v2")
        torch.set_num_threads(threads or available_cores())
        self._whole = whole
        self._precision = torch.autocast("cpu", torch.bfloat16, enabled=bfloat16)
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        with (folder / WEIGHTS).open("rb") as file:
            self.fingerprint = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        self.dimension = len(self.encode(["a"])[0])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; float32 array (number of texts, dimension) with rows of unit length."""
        if not self._whole:
            return self._encode(list(texts))
        windows = [self._windows(text) for text in texts]
        vectors = self._encode([window for several in windows for window in several])
        starts = np.cumsum([0, *(len(several) for several in windows[:-1])])
        sums = np.add.reduceat(vectors, starts)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def _encode(self, texts: list[str]) -> np.ndarray:
        with self._precision:
            vectors = self._model.encode(
                texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return vectors.astype(np.float32, copy=False)

    def _windows(self, text: str) -> list[str]:
        """Cut a text so that each part fits the model's window with its two special tokens."""
        size = self._model.max_seq_length - 2
        encoded = self._model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        offsets = encoded["offset_mapping"]
        starts = [offsets[first][0] for first in range(size, len(offsets), size)]
        return [text[start:end] for start, end in pairwise([0, *starts, len(text)])]
