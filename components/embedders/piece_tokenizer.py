"""Text to the token ids of a model."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from khub.components.embedders.model_files import REMEDY, read_tokenizer
from khub.components.embedders.native_threads import native_call
from khub.components.errors import ModelFileError

BATCH = 32  # texts tokenized at a time: what the library keeps of each is a hundred times as large as the ids


class PieceTokenizer:
    """The tokenizer of a model folder, `tokenizer.json`; the names of special tokens (`[SEP]`) inside a text are text.

    :param folder: the model's folder; it is read at once. One object may be used from several threads.
    :raises KhubError: when the file is missing, damaged, or says nothing of the tokens around a text.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / "tokenizer.json"
        self._tokenizer = read_tokenizer(file)
        truncation = self._tokenizer.truncation
        self.truncation: int | None = truncation["max_length"] if truncation else None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.special = _special_ids(self._tokenizer, file)

    @property
    def highest_id(self) -> int:
        """The largest id that a text can get: a model needs one row more than this."""
        return self._tokenizer.get_vocab_size() - 1

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Tokenize texts of any length; nothing is cut.

        :param texts: any strings; half a surrogate pair counts as a question mark.
        :returns: for each text its ids (int64, one axis), without special tokens; empty where a text has no token.
        """
        ids: list[np.ndarray] = []
        for start in range(0, len(texts), BATCH):
            # half a surrogate pair has no UTF-8, which the tokenizers want
            batch = [text.encode("utf-8", "replace").decode("utf-8") for text in texts[start : start + BATCH]]
            with native_call():
                ids += [_ids(found) for found in self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)]
        return ids


def _ids(encoding: Encoding) -> np.ndarray:
    return np.array(encoding.ids, dtype=np.int64)


def _special_ids(tokenizer: Tokenizer, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids that stand before and after the tokens of every text."""
    if tokenizer.post_processor is None:
        names = [tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]
        if None in names:
            raise ModelFileError(
                f"model file {file} has neither a post-processor nor the tokens [CLS] and [SEP]", REMEDY
            )
        return np.array(names[:1], dtype=np.int64), np.array(names[1:], dtype=np.int64)
    sample = tokenizer.encode("a")
    own = np.flatnonzero(np.array(sample.special_tokens_mask) == 0)
    first, last = (own[0], own[-1] + 1) if len(own) else (1, 1)
    return _ids(sample)[:first], _ids(sample)[last:]
