"""Static embeddings: the vector of a text is the weighted mean of the vectors of its tokens."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from tokenizers import Tokenizer

from khub.components.embedders.han_ngrams import BASIC_PLANE, HanNgrams
from khub.components.embedders.model_files import REMEDY, damaged, read_file, read_json, read_tokenizer
from khub.components.embedders.native_threads import available_cores, native_call, run_each
from khub.components.embedders.prefixes import Prefixes
from khub.components.errors import ModelFileError

BATCH = 128
SLICE = 512
CHINESE_TABLES: dict[str, tuple[int, ...]] = {"han_characters": (), "han_bigrams": (2,), "folding": (2,)}  # of an entry


class StaticModel:
    """A static embedding model in the format of model2vec (Minish Lab), read with numpy alone.

    A folder holds `model.safetensors` (`embeddings`, one int8 or float row a token, and optionally `weights`, one
    factor a row), `tokenizer.json` and `config.json` (`languages`). A model that reads Chinese has three tensors more,
    `han_characters`, `han_bigrams` and `folding` (see `HanNgrams`); their rows follow those of the tokenizer. int8 rows
    stay int8 in memory; only the rows of the text at hand become floats. One object may be used from several threads.

    :param folder: the model's folder; it is read at once.
    :param threads: how many batches of texts are embedded at the same time, 0 for as many as the process may use
        processors. The vectors do not depend on it.
    :raises KhubError: when a file is missing, damaged or belongs to another model.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        weights_file, tokenizer_file = folder / "model.safetensors", folder / "tokenizer.json"
        weights, tokenizer = read_file(weights_file), read_file(tokenizer_file)
        self._languages = tuple(str(code) for code in read_json(folder / "config.json").get("languages") or ())
        self._tokenizer = read_tokenizer(tokenizer_file)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        tensors = _parse_tensors(weights, weights_file)
        self._rows, self._weights = _parse_rows(tensors, weights_file)
        self._first_han = self._tokenizer.get_vocab_size()
        self._ngrams = _parse_ngrams(tensors, weights_file)
        expected = self._first_han + (self._ngrams.count if self._ngrams else 0)
        if len(self._rows) != expected:
            raise ModelFileError(
                f"{weights_file} has {len(self._rows)} rows but {tokenizer_file.name} has {expected} tokens", REMEDY
            )
        self._threads = threads or available_cores()
        self._fingerprint = hashlib.sha256(weights + tokenizer).hexdigest()[:16]
        self._unknown_id = _unknown_id(self._tokenizer)
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
    def prefixes(self) -> Prefixes:
        """Nothing: the model treats questions and passages alike."""
        return Prefixes()

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

        def embed_batch(start: int) -> None:
            for offset, rows in enumerate(self._tokenize(texts[start : start + BATCH])):
                vectors[start + offset] = self._embed(rows)

        run_each(embed_batch, range(0, len(texts), BATCH), self._threads)
        return vectors

    def _tokenize(self, texts: Sequence[str]) -> list[np.ndarray]:
        rests, chinese = self._split(texts)
        words = self._ids(rests)
        return [np.concatenate([ids, rows + self._first_han]) for ids, rows in zip(words, chinese, strict=True)]

    def _ids(self, texts: Sequence[str]) -> list[np.ndarray]:
        ids: list[np.ndarray] = []
        # What the library keeps of each text is a hundred times as large as its ids.
        for start in range(0, len(texts), BATCH):
            with native_call():
                encodings = self._tokenizer.encode_batch_fast(texts[start : start + BATCH], add_special_tokens=False)
            ids += [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]
        return ids

    def _split(self, texts: Sequence[str]) -> tuple[list[str], list[np.ndarray]]:
        """Return the texts without their Chinese characters, and the rows of these, numbered from 0."""
        # Half a surrogate pair has no UTF-8, which the tokenizer wants.
        valid = [text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        if not self._ngrams:
            return valid, [np.empty(0, dtype=np.int32)] * len(valid)
        parts = self._ngrams.split(valid)
        return [rest for rest, _ in parts], [rows for _, rows in parts]

    def _embed(self, tokens: np.ndarray) -> np.ndarray:
        # each token's row is read once, however often the text repeats it
        rows, counts = _counted(tokens)
        factors = self._weights.take(rows) * counts
        total = np.zeros(self.dimension, dtype=np.float32)
        # In slices, whose float rows stay in the processor's cache.
        for start in range(0, len(rows), SLICE):
            part = self._rows.take(rows[start : start + SLICE], axis=0)
            total += factors[start : start + SLICE] @ part.astype(np.float32)
        # The direction of the sum is that of the mean.
        norm = np.sqrt(total @ total)
        return total / norm if norm > 0 else self._unknown

    def distinct_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return, for each text, the rows of its different known tokens, ascending.

        :param texts: the texts.
        """
        rests, chinese = self._split(texts)
        words = self._ids(rests)
        # all texts in one array, each in a range of its own: numpy's calls for a single text cost more than their work
        first = np.arange(len(texts) + 1) * len(self._rows)
        parts = ((words, first[:-1]), (chinese, first[:-1] + self._first_han))
        keys, _ = _counted(
            np.concatenate([_joined(tokens) + np.repeat(at, list(map(len, tokens))) for tokens, at in parts])
        )
        edges = np.searchsorted(keys, first)
        rows = (keys - np.repeat(first[:-1], np.diff(edges))).astype(np.int32)
        known = self._weights[rows] > 0
        return [rows[start:end][known[start:end]] for start, end in pairwise(edges.tolist())]

    def float_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return rows as float32, (number of rows, dimension)."""
        return self._rows.take(rows, axis=0).astype(np.float32)

    def unit_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return rows as float32 at unit length, (number of rows, dimension)."""
        found: np.ndarray = self.float_rows(rows) / self.row_lengths(rows)[:, None]
        return found

    def row_lengths(self, rows: np.ndarray) -> np.ndarray:
        """Return the length of each row as float32, (number of rows); 1 for a row of zeros."""
        return np.asarray(self._lengths.take(rows))

    @cached_property
    def _lengths(self) -> np.ndarray:
        lengths = np.empty(len(self._rows), dtype=np.float32)
        for start in range(0, len(lengths), SLICE):
            part = self._rows[start : start + SLICE].astype(np.float32)
            np.sqrt(np.einsum("ij,ij->i", part, part), out=lengths[start : start + SLICE])
        lengths[lengths == 0] = 1
        return lengths

    def row_weights(self, rows: np.ndarray) -> np.ndarray:
        """Return the weight of each row: what its vector counts in a text's, (number of rows)."""
        return np.asarray(self._weights[rows])

    def _take_unknown(self) -> np.ndarray:
        """Take the unknown token out of all sums and return its row at unit length."""
        vector = np.zeros(self.dimension, dtype=np.float32)
        if self._unknown_id is not None:
            vector = self._rows[self._unknown_id].astype(np.float32)
            self._weights[self._unknown_id] = 0
        if not vector.any():
            vector[0] = 1
        return vector / np.linalg.norm(vector)


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=np.intp), *arrays])


def _counted(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different tokens and how often each occurs; `np.unique` takes twice as long for a chunk."""
    ordered = np.sort(tokens)
    edge = np.ones(len(ordered) + 1, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=edge[1:-1])
    edges = np.flatnonzero(edge)
    return ordered[edges[:-1]], (edges[1:] - edges[:-1]).astype(np.float32)


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    token = tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or "[UNK]")
    return None if token is None else int(token)


def _parse_tensors(data: bytes, path: Path) -> dict[str, np.ndarray]:
    try:
        return load_tensors(data)
    except (SafetensorError, ValueError) as error:
        raise damaged(path, error) from error


def _parse_rows(tensors: dict[str, np.ndarray], path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows (tokens, dimension) as stored, and a writable float32 weight for each row."""
    if "embeddings" not in tensors:
        raise damaged(path, "it has no tensor 'embeddings'")
    rows = tensors["embeddings"]
    weights = np.array(tensors.get("weights", np.ones(len(rows))), dtype=np.float32)
    finite = np.isfinite(weights).all() and (rows.dtype == np.int8 or np.isfinite(rows).all())
    if rows.ndim != 2 or weights.shape != rows.shape[:1] or not finite:
        raise damaged(path, "rows and weights do not fit together")
    return rows, weights


def _parse_ngrams(tensors: dict[str, np.ndarray], path: Path) -> HanNgrams | None:
    if "han_characters" not in tensors:
        return None
    for name, entry in CHINESE_TABLES.items():
        table = tensors.get(name)
        if table is None or table.dtype != np.uint32 or table.shape[1:] != entry or (table >= BASIC_PLANE).any():
            raise damaged(path, f"its tensor {name!r} has to hold code points below {BASIC_PLANE}, uint32")
    return HanNgrams(*(tensors[name] for name in CHINESE_TABLES))
