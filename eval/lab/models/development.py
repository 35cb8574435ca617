"""Small retrieval sets made of text that was left out of training; what a decision about a model is made on."""

import random
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from khub.eval.lab.models.corpus import Corpus
from khub.eval.lab.models.written import Pair

QUERIES = 1000
QUESTION_WORDS = ("什么", "谁", "多少", "哪里", "什么时候", "哪个")
HAN_RUN = re.compile("[\u3400-\u9fff]{8,30}")
Encode = Callable[[list[str]], np.ndarray]


class RetrievalSet(NamedTuple):
    """Query i is answered by passage i; the passages after the last query's only distract."""

    name: str
    queries: list[str]
    passages: list[str]


def development_sets(held: Corpus) -> list[RetrievalSet]:
    """Make the sets: a sentence looks for the rest of its passage, or for its translation, in all directions.

    :param held: what training does not see (`corpus.split`).
    """
    chosen = random.Random(2)
    sets = [*_news(held, chosen), *_windows(held, chosen), *(_asked(held) if held.statements else [])]
    sets.append(_questions(held, random.Random(3)))
    sets.append(_translations("tatoeba_zh-en", held.pairs, chosen))
    sets.append(_translations("names_zh-en", held.names, chosen))
    return sets


def _news(held: Corpus, chosen: random.Random) -> list[RetrievalSet]:
    queries, passages = [], []
    for passage in chosen.sample(held.news, len(held.news)):
        place = chosen.randrange(len(passage.pieces))
        queries.append(passage.pieces[place])
        passages.append("".join(passage.pieces[:place] + passage.pieces[place + 1 :]))
    clauses = [longest_clause(query) for query in queries[:QUERIES]]
    return [
        RetrievalSet("news_zh-zh", queries[:QUERIES], passages),
        RetrievalSet("news-clause_zh-zh", clauses, passages),
    ]


def _questions(held: Corpus, chosen: random.Random) -> RetrievalSet:
    """Ask by a clause with a gap for a question word; the passage keeps the clause, since who asks knows its names."""
    queries: list[str] = []
    answers, others = [], []
    for passage in chosen.sample(held.news, len(held.news)):
        text = "".join(passage.pieces)
        clauses = HAN_RUN.findall(text)
        if not clauses or len(queries) == QUERIES:
            others.append(text)
            continue
        clause = chosen.choice(clauses)
        gap = chosen.randrange(2, 1 + len(clause) // 3)
        start = chosen.randrange(len(clause) - gap + 1)
        queries.append(clause[:start] + chosen.choice(QUESTION_WORDS) + clause[start + gap :] + "？")
        answers.append(text)
    return RetrievalSet("question_zh-zh", queries, answers + others)


def longest_clause(sentence: str) -> str:
    """Return the longest part of a sentence between commas: a query of the length that people type."""
    return max(sentence.replace(",", "，").split("，"), key=len)


def _windows(held: Corpus, chosen: random.Random) -> list[RetrievalSet]:
    picked: list[Pair] = []
    rests: list[list[Pair]] = []
    for window in held.windows:
        place = chosen.randrange(len(window))
        picked.append(window[place])
        rests.append(window[:place] + window[place + 1 :])
    sides: dict[str, Callable[[Pair], str]] = {"en": lambda pair: pair.en, "zh": lambda pair: pair.zh}
    return [
        RetrievalSet(
            f"docs_{asked}-{found}",
            [sides[asked](pair) for pair in picked],
            [" ".join(sides[found](pair) for pair in rest) for rest in rests],
        )
        for asked in sides
        for found in sides
    ]


def _asked(held: Corpus) -> list[RetrievalSet]:
    """Ask for statements in the words of somebody who does not know theirs."""
    sides: dict[str, Callable[[Pair], str]] = {"en": lambda pair: pair.en, "zh": lambda pair: pair.zh}
    return [
        RetrievalSet(
            f"asked_{asked}-{found}",
            [sides[asked](one.questions[0]) for one in held.statements],
            [sides[found](one.text) for one in held.statements],
        )
        for asked, found in (("zh", "zh"), ("zh", "en"), ("en", "zh"))
    ]


def _translations(name: str, pairs: list[Pair], chosen: random.Random) -> RetrievalSet:
    unique = list({pair.en: pair for pair in pairs}.values())
    order = chosen.sample(unique, len(unique))
    return RetrievalSet(name, [pair.zh for pair in order[:QUERIES]], [pair.en for pair in order])


def gains(encode: Encode, data: RetrievalSet) -> np.ndarray:
    """Return nDCG@10 of each query, from 0 to 1; with one relevant passage a query it is 1 / log2(rank + 1)."""
    scores = encode(data.queries) @ encode(data.passages).T
    wanted = scores[np.arange(len(data.queries)), np.arange(len(data.queries))]
    ranks = 1 + (scores > wanted[:, None]).sum(axis=1)
    return np.where(ranks <= 10, 1 / np.log2(ranks + 1), 0)


def ndcg_at_10(encode: Encode, data: RetrievalSet) -> float:
    """Return the mean nDCG@10 in percent."""
    return 100 * float(gains(encode, data).mean())


def score(encode: Encode, sets: list[RetrievalSet]) -> dict[str, float]:
    """Return nDCG@10 of every set, and their mean as `mean`."""
    figures = {data.name: ndcg_at_10(encode, data) for data in sets}
    return figures | {"mean": sum(figures.values()) / len(figures)}
