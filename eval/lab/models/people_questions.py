"""Questions that were written by hand for left-out passages, in both languages, as people ask for what stands there.

The passages are other people's text and stay out of the repository: a question names its own by the start of its
sha256.
"""

import hashlib
import json
import random
from pathlib import Path
from typing import NamedTuple

from khub.eval.lab.models.corpus import Corpus
from khub.eval.lab.models.development import RetrievalSet

FILE = Path(__file__).with_name("people_questions.jsonl")
ID_LENGTH = 16


class Question(NamedTuple):
    """The same question in Chinese and English, and the identity of the one passage that answers it."""

    passage: str
    zh: str
    en: str


def read_questions(file: Path = FILE) -> list[Question]:
    """Read `id`, `zh` and `en` of each line."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [Question(row["id"], row["zh"], row["en"]) for row in rows]


def passage_id(text: str) -> str:
    """Return the first 16 hexadecimal digits of the sha256 of a passage's (Chinese) text."""
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def people_sets(held: Corpus, questions: list[Question]) -> list[RetrievalSet]:
    """Make the sets: questions in both languages for Chinese news, and for documentation in both languages.

    :param held: what training does not see (`corpus.split`).
    :param questions: those whose passage is not in `held` are left out.
    """
    news = {passage_id(text): (text, text) for text in ("".join(passage.pieces) for passage in held.news)}
    docs = {}
    for window in held.windows:
        zh, en = (" ".join(getattr(pair, language) for pair in window) for language in ("zh", "en"))
        docs[passage_id(zh)] = (zh, en)
    sets = []
    for name, passages, languages in (("people-news", news, ("zh",)), ("people-docs", docs, ("zh", "en"))):
        for asked in ("zh", "en"):
            sets += [_set(name, passages, questions, asked, found) for found in languages]
    return sets


def _set(
    name: str, passages: dict[str, tuple[str, str]], questions: list[Question], asked: str, found: str
) -> RetrievalSet:
    own = [question for question in questions if question.passage in passages]
    side = ("zh", "en").index(found)
    wanted = [question.passage for question in own]
    rest = sorted(passages.keys() - set(wanted))
    random.Random(4).shuffle(rest)
    texts = [passages[identity][side] for identity in wanted + rest]
    return RetrievalSet(f"{name}_{asked}-{found}", [getattr(question, asked) for question in own], texts)
