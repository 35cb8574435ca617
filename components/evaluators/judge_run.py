"""One run of a library that judges: what has to be there before a judge can be asked, and what if it is not."""

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any, Protocol

from components.errors import GraphError, KhubError
from components.evaluators.judge import Asking, Judge, judge_name
from components.evaluators.judge_replies import JudgeReplies, replies_file
from components.evaluators.judged_cases import Measure, judge_cases
from components.evaluators.measurement import Answer, Case, citations_of


class Library(Protocol):
    """What a library does for one value."""

    def __call__(self, metric: str, asking: Asking, case: Case, answer: str, contexts: list[str]) -> float:
        """Return the value of a metric.

        :raises JudgeError: when the judge's replies cannot be used.
        """


def run_judge(
    cases: Sequence[Case],
    answers: Sequence[Answer],
    package: str,
    metrics: Sequence[str],
    load: Callable[[], Library],
    chat_generator: Any,
    depth: int,
    concurrency: int,
) -> dict[str, Any]:
    """Let a library judge all answers; what it needs and does not get costs its columns and nothing else.

    :param package: name of the library, and what its columns are called after.
    :param load: imports the library.
    :param depth: so many citations are judged.
    :param concurrency: values that are measured at the same time.
    :returns: `scores`, `failed` and `judge`, as `DeepEvalEvaluator.run` says.
    :raises EvaluationError: when cases and answers do not belong together.
    """
    columns = [f"{package}_{metric}" for metric in metrics]
    measure = _ready(load, chat_generator, depth, len(package) + 1)
    result = judge_cases(cases, answers, columns, measure, concurrency)
    return {**result, "judge": {"name": judge_name(chat_generator), "library": _version(package), "metrics": columns}}


def check_parameters(
    name: str, metrics: list[str] | None, known: tuple[str, ...], depth: int, concurrency: int
) -> None:
    """Refuse what no judge can work with.

    :raises GraphError: naming the component, the parameter and the remedy.
    """
    for metric in metrics or []:
        if metric not in known:
            raise GraphError(f"{name} has the unknown metric {metric!r}", f"use some of {', '.join(known)}")
    if metrics == []:
        raise GraphError(f"{name} has no metrics", f"use some of {', '.join(known)}")
    for parameter, value in (("depth", depth), ("concurrency", concurrency)):
        if value < 1:
            raise GraphError(f"{name} has {parameter}={value}", "give a whole number, 1 or more")


def _ready(load: Callable[[], Library], chat_generator: Any, depth: int, prefix: int) -> Measure:
    """Return what measures one value; if the judge cannot be asked at all, what raises the reason for each."""
    try:
        library = load()
        if hasattr(chat_generator, "warm_up"):
            chat_generator.warm_up()
        judge = Judge(chat_generator, JudgeReplies(replies_file()))
    except Exception as error:  # of the library's import, or of the generator: told for every value
        return _refusing(error)

    def measure(column: str, case: Case, answer: Answer) -> float:
        contexts = [citation["text"] for citation in citations_of(answer, depth)]
        return library(column[prefix:], Asking(judge, case["language"]), case, answer["answer"], contexts)

    return measure


def _refusing(error: Exception) -> Measure:
    reason = error if isinstance(error, KhubError) else KhubError(f"{type(error).__name__}: {error}")

    def measure(*_: Any) -> float:
        raise reason

    return measure


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} (not installed)"
