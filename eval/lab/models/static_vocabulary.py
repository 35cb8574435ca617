"""The tokens of the static model: WordPiece for what is not Chinese, characters and pairs for what is."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from khub.components.embedders.han_ngrams import HanNgrams


class StaticVocabulary(NamedTuple):
    """What the rows of a static model stand for: pieces of the tokenizer, then characters, then pairs."""

    tokenizer: str
    characters: np.ndarray
    bigrams: np.ndarray
    folding: np.ndarray

    @property
    def tokens(self) -> tuple[list[str], list[str], list[str]]:
        """Text of each row: of the pieces, the characters, the pairs."""
        pieces = [piece.removeprefix("##") for piece in json.loads(self.tokenizer)["model"]["vocab"]]
        pairs = [chr(first) + chr(second) for first, second in self.bigrams]
        return pieces, [chr(code) for code in self.characters], pairs


def known_vocabulary(folder: Path) -> StaticVocabulary:
    """Return what the rows of a trained model stand for.

    :param folder: written by `write_static`.
    """
    tensors = load_file(folder / "model.safetensors")
    tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    return StaticVocabulary(tokenizer, *(tensors[name] for name in ("han_characters", "han_bigrams", "folding")))


def known_rows(folder: Path) -> np.ndarray:
    """Return the rows of a trained model, float32 (tokens, dimension), so long that the mean length is 1."""
    tensors = load_file(folder / "model.safetensors")
    rows = tensors["embeddings"].astype(np.float32) * tensors["weights"][:, None]
    return np.asarray(rows / np.linalg.norm(rows, axis=1).mean())


class StaticTokenizer:
    """Turns texts into rows of the static model, as `khub.components.embedders.static_model` does at run time."""

    def __init__(self, vocabulary: StaticVocabulary) -> None:
        self._tokenizer = Tokenizer.from_str(vocabulary.tokenizer)
        self._ngrams = HanNgrams(vocabulary.characters, vocabulary.bigrams, vocabulary.folding)
        self._offset = self._tokenizer.get_vocab_size()
        self._unknown = self._tokenizer.token_to_id("[UNK]")

    def encode(self, texts: list[str]) -> list[np.ndarray]:
        """Return int32 rows for each text, unknown tokens left out."""
        parts = self._ngrams.split(texts)
        encodings = self._tokenizer.encode_batch_fast([rest for rest, _ in parts], add_special_tokens=False)
        found = []
        for encoding, (_, rows) in zip(encodings, parts, strict=True):
            ids = np.array(encoding.ids, dtype=np.int32)
            found.append(np.concatenate([ids[ids != self._unknown], rows + self._offset]).astype(np.int32))
        return found
