"""Questions made of the words of one chunk, which a search then has to find (known-item search)."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from khub.components.errors import EvaluationError
from khub.eval.lab.comparison.chunk import Chunk

COMMON_WORDS = 100
LEAST_COMMON = 10
SAMPLE = 5000
TRIES = 30
HAN_LENGTHS = (6, 12)
WORD_COUNTS = (4, 8)
LEAST_SHARE = 0.5
_HAN_RUN = re.compile(rf"[\u4e00-\u9fff]{{{HAN_LENGTHS[0]},}}")
_WORD = re.compile(r"[A-Za-z]{3,}")


class Question(NamedTuple):
    """A question and the id of the chunk that it is made of."""

    text: str
    chunk_id: str


def make_questions(chunks: Sequence[Chunk], number: int, seed: int) -> list[Question]:
    """Make questions of randomly chosen chunks, no two the same.

    A Chinese one is 6 to 12 characters in a row; any other one is 4 to 8 words in a row, where the data set's hundred
    most frequent words are passed over, as stop words would be.

    :param number: how many; fewer come back where the chunks do not give as many.
    """
    chance = random.Random(seed)
    common = _common_words(chunks)
    questions: dict[str, Question] = {}
    for _ in range(number * TRIES):
        if len(questions) == number or not chunks:
            break
        chunk = chance.choice(chunks)
        if text := _phrase(chunk.content, common, chance):
            questions.setdefault(text.lower(), Question(text, chunk.id))
    return list(questions.values())


def check_found(system: str, found: int, asked: int, top_k: int) -> None:
    """Refuse the figures of a search that finds hardly anything: an empty index is fast.

    :raises KhubError: when fewer than half of the chunks were found by words of their own.
    """
    if found < asked * LEAST_SHARE:
        raise EvaluationError(
            f"{system} has found {found} of {asked} chunks among {top_k} results by words of their own text",
            "its index is empty or broken: measure again without --resume",
        )


def _common_words(chunks: Sequence[Chunk]) -> set[str]:
    step = max(1, len(chunks) // SAMPLE)
    words = Counter(word for chunk in chunks[::step] for word in set(_WORD.findall(chunk.content.lower())))
    # in a small set nearly every word would be among the hundred
    least = max(LEAST_COMMON, len(chunks[::step]) // 20)
    return {word for word, count in words.most_common(COMMON_WORDS) if count > least}


def _phrase(content: str, common: set[str], chance: random.Random) -> str:
    if runs := _HAN_RUN.findall(content):
        run: str = chance.choice(runs)
        length = min(len(run), chance.randint(*HAN_LENGTHS))
        start = chance.randint(0, len(run) - length)
        return run[start : start + length]
    words = [word for word in _WORD.findall(content) if word.lower() not in common]
    count = chance.randint(*WORD_COUNTS)
    if len(words) < count:
        return ""
    start = chance.randint(0, len(words) - count)
    return " ".join(words[start : start + count])
