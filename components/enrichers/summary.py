"""A summary made of a document's own sentences."""

import math
import re
from collections.abc import Sequence

import numpy as np

from khub.components.text.stopwords import without_stopwords

MAX_SENTENCES = 400
"""So many are compared with each other: of a longer text, those at equal distances."""
MIN_WORDS, MAX_CHARACTERS = 5, 400
DAMPING, ROUNDS = 0.85, 30
OPENING_BONUS = 0.5
"""How much more the first sentence of a text weighs than its last: writers open with what it is about."""

_CHINESE_END = re.compile("[。！？；”」』）]$")


def summarize(sentences: Sequence[str], count: int) -> str:
    """Return the sentences that say most of what the others say, in their order.

    TextRank (R. Mihalcea and P. Tarau, *TextRank: Bringing Order into Texts*, 2004): sentences vote for those that
    share words with them. Here earlier ones start with more weight, and one that mostly repeats a chosen one is left
    out.

    :param sentences: the sentences of a text, in order.
    :param count: of sentences in the summary.
    :returns: the summary, "" if no sentence is fit for one.
    """
    known = [(sentence, set(without_stopwords(sentence))) for sentence in sentences if len(sentence) <= MAX_CHARACTERS]
    fit = [(sentence, words) for sentence, words in known if len(words) >= MIN_WORDS]
    step = max(1, math.ceil(len(fit) / MAX_SENTENCES))
    fit = fit[::step]
    if not fit or count < 1:
        return ""
    scores = _scores([words for _, words in fit])
    chosen: list[int] = []
    for index in sorted(range(len(fit)), key=lambda i: -scores[i]):
        words = fit[index][1]
        if len(chosen) < count and all(len(words & fit[other][1]) * 2 < len(words) for other in chosen):
            chosen.append(index)
    texts = [fit[index][0] for index in sorted(chosen)]
    return "".join(texts) if _CHINESE_END.search(texts[0]) else " ".join(texts)


def _scores(words: list[set[str]]) -> np.ndarray:
    vocabulary = {word: column for column, word in enumerate(sorted(set().union(*words)))}
    occurs = np.zeros((len(words), len(vocabulary)), dtype=np.float32)
    for row, terms in enumerate(words):
        occurs[row, [vocabulary[term] for term in terms]] = 1
    sizes = np.log(occurs.sum(axis=1))
    shared = (occurs @ occurs.T) / (sizes[:, None] + sizes[None, :])
    np.fill_diagonal(shared, 0)
    votes = shared / np.maximum(shared.sum(axis=1, keepdims=True), 1e-9)
    start = 1 + OPENING_BONUS * np.linspace(1, 0, len(words))
    start /= start.sum()
    scores = start
    for _ in range(ROUNDS):
        scores = (1 - DAMPING) * start + DAMPING * scores @ votes
    return scores
