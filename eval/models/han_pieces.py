"""Choose the Chinese pieces of the base model: words, and single characters for what is no word of them."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Split

from eval.models.corpus import Corpus
from eval.models.static_vocabulary import BASIC_HAN, NO_WORDS, chinese_texts, choose_ngrams

LONGEST = 4
ROUNDS = 2
SPARE = 2
"""So many times as many words as are wanted take part at first."""
BATCH = 4096
UNKNOWN = "<unk>"


def choose_pieces(trained: Corpus, folding: dict[int, str], pieces: int) -> Tokenizer:
    """Choose the words that running text has most often, and all characters that occur twice.

    Pieces that are frequent and no words (`在印度`, `的生活`) would take rows from words: only words and names count
    whose meaning the training text tells. Their probabilities, by which a Unigram model (T. Kudo, "Subword
    Regularization", ACL 2018) cuts a text, are counted in the text as the model itself cuts it (Viterbi training).

    :param trained: pairs, names and news; definitions of single characters and small towns are no words.
    :param folding: `str.translate` table that is applied first.
    :param pieces: size of the vocabulary.
    :returns: a tokenizer that leaves out everything that is not Han.
    """
    texts = [text.translate(folding) for text in chinese_texts(trained)]
    names = {name.zh.translate(folding) for name in trained.names if name.source not in NO_WORDS}
    words = {name for name in names if 2 <= len(name) <= LONGEST and all(ord(c) in BASIC_HAN for c in name)}
    # folded already: choose_ngrams has nothing left to fold
    points, _ = choose_ngrams([*texts, *names], np.empty((0, 2), dtype=np.uint32), 0)
    characters = [chr(point) for point in points]
    wanted = pieces - len(characters) - 1
    counts = _occurrences(texts, words)
    for left in (SPARE * wanted, *[wanted] * ROUNDS):
        kept = [word for word, _ in counts.most_common() if len(word) > 1][:left]
        tokenizer = _tokenizer([*kept, *characters], counts)
        counts = _cut(texts, tokenizer)
    return _tokenizer([*kept, *characters], counts)


def _occurrences(texts: Sequence[str], words: set[str]) -> Counter[str]:
    counts: Counter[str] = Counter(words)
    for text in texts:
        counts.update(text)
        for length in range(2, LONGEST + 1):
            parts = (text[i : i + length] for i in range(len(text) - length + 1))
            counts.update(part for part in parts if part in words)
    return counts


def _cut(texts: Sequence[str], tokenizer: Tokenizer) -> Counter[str]:
    counts: Counter[str] = Counter()
    for start in range(0, len(texts), BATCH):
        for encoding in tokenizer.encode_batch(texts[start : start + BATCH]):
            counts.update(encoding.tokens)
    return counts


def _tokenizer(kept: Sequence[str], counts: Counter[str]) -> Tokenizer:
    total = math.log(sum(counts[piece] + 1 for piece in kept))
    vocabulary = [(UNKNOWN, 0.0), *((piece, math.log(counts[piece] + 1) - total) for piece in kept)]
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = Split(Regex("[^\u3400-\u9fff]+"), "removed")
    return tokenizer
