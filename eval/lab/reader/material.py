"""Read and make what the reader is trained on: questions, each with passages that answer it and some that do not."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khub.eval.lab.models.corpus import UNORDERED_SOURCES, read_lines, windows
from khub.eval.lab.models.written import Pair

LONGEST_QUESTION = 300
SHORTEST_STATEMENT = 12
"""Words of an English paragraph of which a query is made; shorter ones stand in many places."""
KEPT_WORDS = 0.7
"""Share of the words of a paragraph that stay in the query made of it."""


class Read(NamedTuple):
    """A passage beside a question.

    :ivar answers: whether it answers.
    :ivar evidence: the part of it that does, verbatim; empty where it is not known, or the whole passage.
    :ivar head: title and headings above it.
    """

    passage: str
    answers: bool
    evidence: str = ""
    how: str = "gold"
    head: str = ""


class Asked(NamedTuple):
    """A question with passages; `lang` is the question's language, and after a dash the passages' if it is another."""

    question: str
    lang: str
    source: str
    answers: list[Read]
    others: list[Read]


VERDICTS = ("supported", "refuted", "not_found")


class Claimed(NamedTuple):
    """A claim beside a passage, with its place in `VERDICTS`."""

    claim: str
    passage: str
    lang: str
    verdict: int


def read_claims(file: Path) -> list[Claimed]:
    """Read rows of claim and passage."""
    return [
        Claimed(row["claim"], row["passage"], row["lang"], VERDICTS.index(row["label"]))
        for row in read_lines(file)
        if len(row["claim"]) <= LONGEST_QUESTION
    ]


def read_material(files: Iterable[Path]) -> list[Asked]:
    """Read rows of question and passage; those of one question are put together, also of several files."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in (row for file in files for row in read_lines(file)):
        if row.get("question") and row.get("passage") and len(row["question"]) <= LONGEST_QUESTION:
            groups[row["set"], row["lang"], row["question"]].append(row)
    return [_asked(key, rows) for key, rows in groups.items()]


def _asked(key: tuple[str, str, str], rows: Sequence[dict[str, Any]]) -> Asked:
    source, lang, question = key
    read = [Read(r["passage"], r["label"] == "answer", r.get("evidence") or "", r["how"]) for r in rows]
    return Asked(question, lang, source, [r for r in read if r.answers], [r for r in read if not r.answers])


def across_languages(asked: Iterable[Asked], translated: Callable[[str], str], lang: str) -> Iterator[Asked]:
    """Yield the questions, said word by word in another language, with the passages as they are.

    :param translated: returns what a question is in the other language, or an empty text.
    :param lang: what they are then, such as `zh-en`.
    """
    for one in asked:
        if question := translated(one.question):
            yield one._replace(question=question, lang=lang, source=f"{one.source}, glossed")


def of_parallel_text(pairs: Sequence[Pair], seed: int) -> Iterator[Asked]:
    """Yield queries made of paragraphs that stand in two languages, for the windows of the other language.

    The evidence is the paragraph's translation; the windows before and after it do not answer.
    """
    draw, cut = random.Random(seed), windows([pair for pair in pairs if pair.source not in UNORDERED_SOURCES])
    for place, window in enumerate(cut):
        near = [cut[n] for n in (place - 1, place + 1) if 0 <= n < len(cut) and cut[n][0].source == window[0].source]
        long = [pair for pair in window if len(pair.en.split()) >= SHORTEST_STATEMENT]
        if not long or not near:
            continue
        pair = draw.choice(long)
        in_chinese = draw.random() < 0.5
        question = pair.zh if in_chinese else _thinned(pair.en, draw)
        answer, evidence = (_joined(window, "en"), pair.en) if in_chinese else (_joined(window, "zh"), pair.zh)
        others = [Read(_joined(other, "en" if in_chinese else "zh"), False, how="beside") for other in near]
        without = [other for other in window if other is not pair]
        others.append(Read(_joined(without, "en" if in_chinese else "zh"), False, how="cut"))
        lang = "zh-en" if in_chinese else "en-zh"
        yield Asked(question[:LONGEST_QUESTION], lang, "parallel", [Read(answer, True, evidence)], others)


def _thinned(text: str, draw: random.Random) -> str:
    return " ".join(word for word in text.split() if draw.random() < KEPT_WORDS)


def _joined(window: Sequence[Pair], side: str) -> str:
    return (" " if side == "en" else "").join(getattr(pair, side) for pair in window)
