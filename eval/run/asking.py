"""Ask every question of a set through graphs, and keep each answer as it comes."""

import time
from collections.abc import Callable, Sequence
from typing import cast

from khub.components.catalog.access import Caller, calling_as
from khub.components.errors import BindingError, CollectionError, KhubError, StoreError
from khub.components.value import as_json
from khub.eval.cases import Case
from khub.eval.run.asked_collection import AskedCollection
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.run_folder import RunFolder
from khub.server.questions.ask import ask
from khub.server.traces.index import EVALUATION

Answers = dict[str, list[KeptAnswer]]
ASKING = Caller(EVALUATION)
"""Traces say by this name that no person has asked."""


def ask_all(
    cases: Sequence[Case],
    collections: dict[str, AskedCollection],
    folder: RunFolder,
    top_k: int,
    on_answer: Callable[[int, int], None],
) -> Answers:
    """Return each graph's answers, one per case, in their order; those that the run has already are not asked again.

    All graphs are asked a question before any is asked the next, and by turns first, so that whatever else the machine
    does slows none more than another. Each is asked its first question once more before, uncounted: no latency has the
    loading of a model in it.

    :param collections: graph -> the collection that it is asked about.
    :param top_k: citations asked for.
    :param on_answer: called with how many answers there are, of all, before the first and after each.
    :raises KhubError: when a collection cannot be asked through its graph at all; a question that fails is an answer
        with `error`.
    """
    found = {graph: {answer["case_id"]: answer for answer in folder.answers(graph)} for graph in collections}
    total = len(cases) * len(collections)
    done = sum(case.id in found[graph] for case in cases for graph in collections)
    on_answer(done, total)
    for graph, collection in collections.items():
        if waiting := [case for case in cases if case.id not in found[graph]]:
            _answer(waiting[0], graph, collection, top_k)
    for number, case in enumerate(cases):
        for graph in _by_turns(list(collections), number):
            if case.id not in found[graph]:
                found[graph][case.id] = _answer(case, graph, collections[graph], top_k)
                folder.add_answer(graph, found[graph][case.id])
                done += 1
                on_answer(done, total)
    return {graph: [answers[case.id] for case in cases] for graph, answers in found.items()}


def _by_turns(graphs: list[str], number: int) -> list[str]:
    first = number % len(graphs)
    return graphs[first:] + graphs[:first]


def _answer(case: Case, graph: str, collection: AskedCollection, top_k: int) -> KeptAnswer:
    with hub_home_at(collection.home), calling_as(ASKING):
        started = time.perf_counter()
        try:
            answer = ask(case.question, collection.name, graph, top_k)
        except (BindingError, CollectionError, StoreError):
            raise  # no question of this run could be answered
        except KhubError as error:
            return {"case_id": case.id, "error": str(error)}
        seconds = time.perf_counter() - started
    citations = [{**as_json(cited), "relative_source": collection.relative(cited.source)} for cited in answer.citations]
    kept = {**as_json(answer), "citations": citations, "case_id": case.id, "seconds": round(seconds, 6)}
    return cast(KeptAnswer, kept)
