"""The tokenizer of khub-base: XLM-R's Unigram model with the pieces that Chinese and English need."""

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")  # the first rows of the model
SPACE = "▁"
DROPPED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
BLANK = "[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
TILDE, IN_PRIVATE = "\uff5e", "\ue5ff"  # SentencePiece keeps the wide tilde (3～5), which NFKC makes a narrow one
SCORE_DIGITS = 4


def make_tokenizer(pieces: Sequence[tuple[str, float]]) -> Tokenizer:
    """Make a tokenizer of pieces whose place is their id.

    Text is normalised as SentencePiece's `nmt_nfkc` does, one space stands for many, those at the end are left out, and
    a space begins a word.

    :param pieces: each with its score, `SPECIAL` first.
    """
    tokenizer = Tokenizer(models.Unigram([(piece, round(score, SCORE_DIGITS)) for piece, score in pieces], unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(DROPPED), ""),
            normalizers.Replace(Regex(BLANK), " "),
            normalizers.Replace(TILDE, IN_PRIVATE),
            normalizers.NFKC(),
            normalizers.Replace(IN_PRIVATE, TILDE),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(left=False, right=True),  # a blank at the end would be a word of its own
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def kept_pieces(tokenizer_file: Path) -> list[str]:
    """Return the pieces of a tokenizer that was made here, in the order of their ids."""
    vocabulary = json.loads(tokenizer_file.read_text(encoding="utf-8"))["model"]["vocab"]
    return [piece for piece, _ in vocabulary]
