"""A model run by sentence-transformers and torch, to compare the hub's own models with."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from components.embedders.native_threads import available_cores
from components.errors import KhubError, MissingLibraryError

WEIGHTS = "model.safetensors"


class ReferenceModel:
    """Embeds as sentence-transformers does by default: float32, batches of 32, texts cut at the model's window.

    :param folder: a folder that sentence-transformers can load, such as that of all-MiniLM-L6-v2.
    :param threads: threads of torch, for the whole process; 0 for as many as the process may use processors.
    :raises MissingLibraryError: when sentence-transformers is not installed.
    :raises KhubError: when the folder holds no such model.
    """

    languages: tuple[str, ...] = ()

    def __init__(self, folder: Path, threads: int) -> None:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingLibraryError(
                f"--teacher needs the Python package sentence-transformers, which cannot be imported ({error})",
                "install the extra: pip install 'knowledge-hub[local-models]'",
            ) from error
        if not (folder / WEIGHTS).is_file():
            raise KhubError(f"the teacher's folder {folder} has no {WEIGHTS}", "name the folder of all-MiniLM-L6-v2")
        torch.set_num_threads(threads or available_cores())
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        with (folder / WEIGHTS).open("rb") as file:
            self.fingerprint = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        self.dimension = len(self.encode(["a"])[0])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; float32 array (number of texts, dimension) with rows of unit length."""
        return self._model.encode(list(texts), normalize_embeddings=True, convert_to_numpy=True)
