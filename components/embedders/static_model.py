"""Static embeddings: the vector of a text is the weighted mean of the vectors of its tokens."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from tokenizers import Tokenizer

from components.errors import KhubError

# One thread is as fast as the converters deliver; and a library that has started threads warns whenever a process
# forks afterwards. A user who sets the variable himself keeps his value.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

BATCH = 256
SLICE = 4096
REMEDY = "copy the whole model folder again, or name another model"


class StaticModel:
    """A static embedding model in the format of model2vec (Minish Lab), read with numpy alone.

    A folder holds `model.safetensors` (`embeddings`, one int8 or float row a token, and optionally `weights`, one
    factor a row), `tokenizer.json` and `config.json` (`languages`). int8 rows stay int8 in memory; only the rows of
    the text at hand become floats. One object may be used from several threads.

    :param folder: the model's folder; it is read at once.
    :raises KhubError: when a file is missing, damaged or belongs to another model.
    """

    def __init__(self, folder: Path) -> None:
        weights_file, tokenizer_file = folder / "model.safetensors", folder / "tokenizer.json"
        weights, tokenizer = _read(weights_file), _read(tokenizer_file)
        self._languages = _parse_languages(folder / "config.json")
        self._tokenizer = _parse_tokenizer(tokenizer, tokenizer_file)
        self._rows, self._weights = _parse_tensors(weights, weights_file)
        if len(self._rows) != self._tokenizer.get_vocab_size():
            raise KhubError(
                f"{weights_file} has {len(self._rows)} rows but {tokenizer_file.name} has"
                f" {self._tokenizer.get_vocab_size()} tokens",
                REMEDY,
            )
        self._fingerprint = hashlib.sha256(weights + tokenizer).hexdigest()[:16]
        self._unknown = self._take_unknown()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._rows.shape[1])

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that the model knows, such as `("en",)`; empty when its card names none."""
        return self._languages

    @property
    def fingerprint(self) -> str:
        """First 16 hexadecimal digits of the sha256 of the two files that decide a vector: weights and tokenizer."""
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts of any length.

        Unknown tokens do not count. A text without a known token (empty, emoji, a script that the model has never
        seen) gets the vector of the unknown token itself, which is close to no ordinary text.

        :param texts: the texts; the vector of each is independent of the others.
        :returns: float32 array (number of texts, dimension); each row has unit length.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            for offset, ids in enumerate(self._tokenize(texts[start : start + BATCH])):
                vectors[start + offset] = self._embed(ids)
        return vectors

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        try:
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        except TypeError:
            # Half a surrogate pair has no UTF-8, which the tokenizer wants.
            valid = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
            encodings = self._tokenizer.encode_batch_fast(valid, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _embed(self, token_ids: list[int]) -> np.ndarray:
        ids = np.array(token_ids, dtype=np.intp)
        total = np.zeros(self.dimension, dtype=np.float32)
        # In slices, because the float rows of a book would take a kilobyte for each of its tokens.
        for start in range(0, len(ids), SLICE):
            part = ids[start : start + SLICE]
            total += self._weights[part] @ self._rows[part].astype(np.float32)
        # The direction of the sum is that of the mean.
        norm = np.linalg.norm(total)
        return total / norm if norm > 0 else self._unknown

    def _take_unknown(self) -> np.ndarray:
        """Take the unknown token out of all sums and return its row at unit length."""
        name = getattr(self._tokenizer.model, "unk_token", None) or "[UNK]"
        token = self._tokenizer.token_to_id(name)
        vector = np.zeros(self.dimension, dtype=np.float32)
        if token is not None:
            vector = self._rows[token].astype(np.float32)
            self._weights[token] = 0
        if not vector.any():
            vector[0] = 1
        return vector / np.linalg.norm(vector)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise KhubError(f"model file {path} cannot be read ({error.strerror})", REMEDY) from error


def _parse_languages(path: Path) -> tuple[str, ...]:
    try:
        return tuple(str(code) for code in json.loads(_read(path)).get("languages", ()))
    except (ValueError, AttributeError, TypeError) as error:
        raise KhubError(f"model file {path} is damaged ({error})", REMEDY) from error


def _parse_tokenizer(data: bytes, path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(data.decode("utf-8"))
    except Exception as error:  # tokenizers raises Exception itself
        raise KhubError(f"model file {path} is damaged ({error})", REMEDY) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _parse_tensors(data: bytes, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows (tokens, dimension) as stored, and a writable float32 weight for each row."""
    try:
        tensors = load_tensors(data)
        rows = tensors["embeddings"]
        weights = np.array(tensors.get("weights", np.ones(len(rows))), dtype=np.float32)
    except (SafetensorError, KeyError, ValueError) as error:
        raise KhubError(f"model file {path} is damaged ({error})", REMEDY) from error
    if (
        rows.ndim != 2
        or weights.shape != rows.shape[:1]
        or not (np.isfinite(weights).all() and np.isfinite(rows).all())
    ):
        raise KhubError(f"model file {path} is damaged (rows and weights do not fit together)", REMEDY)
    return rows, weights
