"""Text to token ids: a model's own tokenizer, and beside it one for Chinese words where the model has one."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from components.embedders.han_ngrams import HAN_RANGES
from components.embedders.model_files import REMEDY, damaged, read_json, read_tokenizer
from components.embedders.native_threads import native_call
from components.errors import KhubError

BATCH = 32  # texts tokenized at a time: what the library keeps of each is a hundred times as large as the ids
HAN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in HAN_RANGES) + "]+")


class PieceTokenizer:
    """The tokenizer of a model folder: `tokenizer.json`, and where there is one `han.json`.

    With `han.json`, a Unigram model (T. Kudo, *Subword Regularization*, 2018) of Chinese words, the Han characters of a
    text are taken out and given to that one; the ids of both stand in the order of the text. Its ids follow
    those of `tokenizer.json` from `han_offset` on; pieces that it does not know are left out. `folding` in
    `config.json` replaces characters one by one before anything else (traditional by simplified ones, say).
    The names of special tokens (`[SEP]`) inside a text are text.

    :param folder: the model's folder; it is read at once. One object may be used from several threads.
    :raises KhubError: when a file is missing, damaged or does not fit the others.
    """

    def __init__(self, folder: Path) -> None:
        file, config = folder / "tokenizer.json", folder / "config.json"
        settings = read_json(config)
        self._tokenizer = read_tokenizer(file)
        truncation = self._tokenizer.truncation
        self.truncation: int | None = truncation["max_length"] if truncation else None
        _let_all_through(self._tokenizer)
        self.special = _special_ids(self._tokenizer, file)
        self._folding = folding_of(settings, config)
        self._han: Tokenizer | None = None
        self._unknown = self._offset = 0
        if (folder / "han.json").is_file():
            self._han, self._unknown = _read_han(folder / "han.json")
            self._offset = _offset(settings, config, self._tokenizer.get_vocab_size())

    @property
    def highest_id(self) -> int:
        """The largest id that a text can get: a model needs one row more than this."""
        last = self._han or self._tokenizer
        return self._offset + last.get_vocab_size() - 1

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Tokenize texts of any length; nothing is cut.

        :param texts: any strings; half a surrogate pair counts as a question mark.
        :returns: for each text its ids (int64, one axis), without special tokens; empty where a text has no token.
        """
        ids: list[np.ndarray] = []
        for start in range(0, len(texts), BATCH):
            prepared = [self._prepared(text) for text in texts[start : start + BATCH]]
            with native_call():
                ids += self._encode(prepared)
        return ids

    def _prepared(self, text: str) -> str:
        if text.isascii():
            return text.translate(self._folding) if self._folding else text
        # Half a surrogate pair has no UTF-8, which the tokenizers want. The length stays, and so do the offsets.
        return text.translate(self._folding).encode("utf-8", "replace").decode("utf-8")

    def _encode(self, texts: list[str]) -> list[np.ndarray]:
        chinese = [bool(self._han and HAN.search(text)) for text in texts]
        mixed = iter(self._merged([text for text, has_han in zip(texts, chinese, strict=True) if has_han]))
        other = [text for text, has_han in zip(texts, chinese, strict=True) if not has_han]
        plain = iter(self._tokenizer.encode_batch_fast(other, add_special_tokens=False))
        return [next(mixed) if has_han else _ids(next(plain)) for has_han in chinese]

    def _merged(self, texts: list[str]) -> list[np.ndarray]:
        if self._han is None or not texts:
            return []
        blanked = [HAN.sub(lambda run: " " * len(run[0]), text) for text in texts]
        rest = self._tokenizer.encode_batch(blanked, add_special_tokens=False)
        words = self._han.encode_batch(texts, add_special_tokens=False)
        return [self._merge(one, other) for one, other in zip(rest, words, strict=True)]

    def _merge(self, rest: Encoding, words: Encoding) -> np.ndarray:
        han = _ids(words)
        known = han != self._unknown
        starts = np.concatenate([_starts(rest), _starts(words)[known]])
        ids = np.concatenate([_ids(rest), han[known] + self._offset])
        return ids[np.argsort(starts, kind="stable")]


def _ids(encoding: Encoding) -> np.ndarray:
    return np.array(encoding.ids, dtype=np.int64)


def _starts(encoding: Encoding) -> np.ndarray:
    return np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)[:, 0]


def _let_all_through(tokenizer: Tokenizer) -> None:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True


def _special_ids(tokenizer: Tokenizer, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids that stand before and after the tokens of every text."""
    if tokenizer.post_processor is None:
        names = [tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]
        if None in names:
            raise KhubError(f"model file {file} has neither a post-processor nor the tokens [CLS] and [SEP]", REMEDY)
        return np.array(names[:1], dtype=np.int64), np.array(names[1:], dtype=np.int64)
    sample = tokenizer.encode("a")
    own = np.flatnonzero(np.array(sample.special_tokens_mask) == 0)
    first, last = (own[0], own[-1] + 1) if len(own) else (1, 1)
    return _ids(sample)[:first], _ids(sample)[last:]


def folding_of(settings: dict[str, Any], config: Path) -> dict[int, int]:
    """Return the characters that are replaced, by their numbers, for `str.translate`.

    :param settings: of a model's `config.json`; `folding` may be missing.
    :param config: that file, for the error.
    :raises KhubError: when `folding` is damaged.
    """
    folding = settings.get("folding", {"from": "", "to": ""})
    try:
        return str.maketrans(folding["from"], folding["to"])
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(config, "'folding' has to be {from, to}, two strings of the same length") from error


def _read_han(file: Path) -> tuple[Tokenizer, int]:
    """Return the tokenizer of Chinese words and the id of what it does not know."""
    tokenizer = read_tokenizer(file)
    unknown = read_json(file)["model"].get("unk_id")
    if unknown is None:
        raise damaged(file, "it is no Unigram model with an unknown token")
    _let_all_through(tokenizer)
    return tokenizer, unknown


def _offset(settings: dict[str, Any], config: Path, tokens: int) -> int:
    offset = settings.get("han_offset")
    if not isinstance(offset, int) or offset < tokens:
        raise damaged(config, f"'han_offset' is {offset!r}, with han.json it has to be {tokens} or more")
    return offset
