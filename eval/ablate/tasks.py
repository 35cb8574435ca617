"""Data sets of both formats as questions with a score each."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.errors import EvaluationError, GoldenSetError
from khub.eval.pages.metrics import HIT, applies_to
from khub.eval.pages.metrics import measures_of as page_measures
from khub.eval.pages.question_set import QUESTIONS, read_page_set
from khub.eval.pages.run import TOP_K as PAGES_TOP_K
from khub.eval.pages.scopes import filters_of
from khub.eval.retrieve.metrics import measures_of
from khub.eval.retrieve.passages import read_retrieval_set, write_passages
from khub.eval.retrieve.run import TOP_K

NDCG = "ndcg@10"


@dataclass(frozen=True)
class Task:
    """Questions that are put to documents in one way.

    :param name: names it in the report.
    :param about: the data set; tasks about the same one ask the same questions.
    :param metric: what `score` gives.
    :param documents: the folder that the collection is filled from.
    :param questions: id -> text.
    :param score: question id and its ranking, as `Ranking.ask` gives it -> figure from 0 to 1.
    :param filters: the documents' folder in the collection -> question id -> Haystack filter; None to ask about all.
    """

    name: str
    about: str
    metric: str
    documents: Path
    questions: dict[str, str]
    top_k: int
    score: Callable[[str, Sequence[Any]], float]
    filters: Callable[[Path], dict[str, dict[str, Any]]] | None = None


def read_tasks(folders: Sequence[Path], sample: int | None, seed: int) -> list[Task]:
    """Read data sets, each in the format of BEIR or of `khub eval pages`.

    :param sample: at most so many questions of each set, drawn at random; None for all.
    :param seed: the same seed draws the same questions.
    :raises KhubError: naming the folder that is of neither format, or that cannot be read.
    """
    tasks = [task for folder in folders for task in _tasks(folder, sample, seed)]
    names = [task.name for task in tasks]
    if twice := [name for name in names if names.count(name) > 1]:
        raise EvaluationError(f"two data sets are called {twice[0]!r}", "rename a folder")
    return tasks


def _tasks(folder: Path, sample: int | None, seed: int) -> list[Task]:
    if (folder / "corpus.jsonl").is_file():
        return [_beir(folder, sample, seed)]
    if (folder / QUESTIONS).is_file():
        return _pages(folder, sample, seed)
    raise EvaluationError(
        f"{folder} is no data set", f"name a folder in the format of BEIR, or one with documents/ and {QUESTIONS}"
    )


def _beir(folder: Path, sample: int | None, seed: int) -> Task:
    data = read_retrieval_set(folder, with_title=True)

    def score(key: str, ranked: Sequence[Any]) -> float:
        return measures_of([data.passage_of(source) for source, _ in ranked], data.gains[key])[NDCG]

    questions = _drawn(data.queries, sample, seed)
    return Task(data.name, data.name, NDCG, write_passages(data), questions, TOP_K, score)


def _pages(folder: Path, sample: int | None, seed: int) -> list[Task]:
    data = read_page_set(folder)
    asked = {question.id: question for question in data.questions if applies_to(question)}
    if not asked:
        raise GoldenSetError(f"no question of {folder / QUESTIONS} has evidence", "name the pages that answer it")
    texts = _drawn({key: question.text for key, question in asked.items()}, sample, seed)

    def score(key: str, ranked: Sequence[Any]) -> float:
        return page_measures(asked[key], ranked)[HIT]

    def filters(documents: Path) -> dict[str, dict[str, Any]]:
        return filters_of([asked[key] for key in texts], documents)

    every = Task(data.name, data.name, HIT, data.documents, texts, PAGES_TOP_K, score)
    named = Task(f"{data.name} (named)", data.name, HIT, data.documents, texts, PAGES_TOP_K, score, filters)
    return [every, named]


def _drawn(questions: Mapping[str, str], sample: int | None, seed: int) -> dict[str, str]:
    if sample is None or sample >= len(questions):
        return dict(questions)
    chosen = set(random.Random(seed).sample(sorted(questions), sample))
    return {key: text for key, text in questions.items() if key in chosen}
