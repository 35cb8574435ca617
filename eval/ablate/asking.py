"""Ask the variants of a graph by turns, and keep what each answer cost."""

import contextlib
import gc
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from khub.components.stores.open_indexes import close_readers
from khub.eval.ablate.tasks import Task
from khub.eval.ablate.variants import Variant
from khub.eval.retrieve.asking import Answers, trouble
from khub.eval.retrieve.ranked_answer import RankedAnswer
from khub.eval.run.files import append_row, read_rows
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import ThrowAwayCollection
from khub.server.commands.progress import progress

WARM = 3
"""So many questions are asked once more before, uncounted: no figure has the loading of a model in it."""

Found = dict[str, dict[str, RankedAnswer]]


def ask_by_turns(
    task: Task, variants: Sequence[Variant], made: Mapping[str, ThrowAwayCollection], answers: Answers
) -> Found:
    """Return label of a variant -> question id -> what `Ranking.ask` returns, with `cpu_ms`.

    Every question goes through all variants before the next one, in an order of its own, so that neither a busy machine
    nor what one variant leaves in a cache for the next favours any. What an interrupted command
    has asked is not asked again; what failed is.

    :param variants: those that can be asked for this task.
    :param made: name of an ingest graph -> its collection.
    :param answers: keeps the answers.
    """
    files = {variant.label: answers.file(f"{task.name}, {variant.label}") for variant in variants}
    kept = {label: {row["id"]: row for row in read_rows(file) if "error" not in row} for label, file in files.items()}
    waiting = [
        (key, variant)
        for number, key in enumerate(task.questions)
        for variant in by_turns(variants, number)
        if key not in kept[variant.label]
    ]
    filters = {name: task.filters(collection.documents) if task.filters else {} for name, collection in made.items()}

    def ask(key: str, variant: Variant) -> RankedAnswer:
        collection, chosen = made[variant.maker.name], filters[variant.maker.name].get(key)
        with hub_home_at(collection.home):
            before = time.process_time()
            answer = variant.ranking.ask(task.questions[key], collection, variant.legs, task.top_k, chosen)
            cpu_ms = round(1000 * (time.process_time() - before), 3)
        return {"id": key, **answer, "cpu_ms": cpu_ms}

    failed = degraded = 0
    with progress(f"{task.name}: {len(variants)} variants", "questions") as report:
        try:
            _warm_up(waiting, ask)
            with _without_full_collections():
                for done, (key, variant) in enumerate(waiting, start=1):
                    kept[variant.label][key] = answer = ask(key, variant)
                    append_row(files[variant.label], answer)
                    failed += "error" in answer
                    degraded += bool(answer.get("degraded"))
                    report(done, len(waiting), trouble(failed, degraded))
        finally:
            close_readers()
    return {label: {key: found[key] for key in task.questions} for label, found in kept.items()}


def by_turns(variants: Sequence[Variant], number: int) -> list[Variant]:
    """Return the order in which a question is asked.

    It is drawn anew for each: where the same one came before it every time, a variant would bear what that leaves
    behind.

    :param number: of the question.
    """
    return random.Random(number).sample(variants, len(variants))


@contextlib.contextmanager
def _without_full_collections() -> Iterator[None]:
    """Keep Python from looking through all graphs for garbage: one question would bear what it costs."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _warm_up(waiting: Sequence[tuple[str, Variant]], ask: Any) -> None:
    first = list(dict.fromkeys(key for key, _ in waiting))[:WARM]
    for key, variant in waiting:
        if key in first:
            ask(key, variant)
