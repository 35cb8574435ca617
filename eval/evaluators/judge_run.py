"""One run of a library that judges: what has to be there before a judge can be asked, and what if it is not."""

from abc import abstractmethod
from collections.abc import Callable
from importlib import metadata
from typing import Any, Protocol

from haystack import component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.errors import KhubError, ParameterError
from khub.eval.evaluators.judge import Asking, Judge, judge_name
from khub.eval.evaluators.judge_replies import JudgeReplies, replies_file
from khub.eval.evaluators.judged_cases import Measure, judge_cases
from khub.eval.evaluators.measurement import Answer, Case, citations_of


class Library(Protocol):
    """What a library does for one value."""

    def __call__(self, metric: str, asking: Asking, case: Case, answer: str, contexts: list[str]) -> float:
        """Return the value of a metric.

        :raises JudgeError: when the judge's replies cannot be used.
        """


class JudgeEvaluator:
    """What the evaluators have in common that let a library judge; each is a component of its own.

    :param chat_generator: the judge, any Haystack chat generator.
    :param metrics: which of those that the library has; None for all.
    :param depth: so many citations, from the first, are given to the judge.
    :param concurrency: values that are measured at the same time.
    :raises GraphError: when a metric is unknown, or a number below 1.
    """

    package: str
    """Name of the library, and what its columns are called after."""
    known: tuple[str, ...]
    """Metrics that the library has."""

    def __init__(
        self, chat_generator: Component, metrics: list[str] | None = None, depth: int = 5, concurrency: int = 4
    ) -> None:
        self.chat_generator = chat_generator
        self.metrics = metrics
        self.depth = depth
        self.concurrency = concurrency
        name, remedy = type(self).__name__, f"use some of {', '.join(self.known)}"
        for metric in metrics or []:
            if metric not in self.known:
                raise ParameterError(f"{name} has the unknown metric {metric!r}", remedy)
        if metrics == []:
            raise ParameterError(f"{name} has no metrics", remedy)
        for parameter, value in (("depth", depth), ("concurrency", concurrency)):
            if value < 1:
                raise ParameterError(f"{name} has {parameter}={value}", "give a whole number, 1 or more")

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            chat_generator=component_to_dict(self.chat_generator, "chat_generator"),
            metrics=self.metrics,
            depth=self.depth,
            concurrency=self.concurrency,
        )

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]], judge=dict[str, Any])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Judge every answer; what the library needs and does not get costs its columns and nothing else.

        :param cases: questions with `id`, `language`, `answerable` and `answer`; see `khub.eval.cases`.
        :param answers: in the same order, each with `case_id` and either `error`, or `answer`, `abstained` and
            `citations`.
        :returns: `scores`: `<library>_<metric>` -> one value from 0 to 1 per case. The metrics of contexts apply to
            cases with a known answer, and are 0 where the graph abstained; the others apply to answers, and are None
            where it abstained. `failed`: `{"metric", "case_id", "reason"}` for each value that could not be measured,
            be it that the library is missing or the judge is down. `judge`: `name` (model and place), `library` (with
            its version) and `metrics` (the columns).
        :raises EvaluationError: when cases and answers do not belong together.
        """
        columns = [f"{self.package}_{metric}" for metric in (self.known if self.metrics is None else self.metrics)]
        measure = _ready(self.load, self.chat_generator, self.depth, len(self.package) + 1)
        result = judge_cases(cases, answers, columns, measure, self.concurrency)
        judge = {"name": judge_name(self.chat_generator), "library": _version(self.package), "metrics": columns}
        return {**result, "judge": judge}

    @staticmethod
    @abstractmethod
    def load() -> Library:
        """Import the library.

        :raises MissingLibraryError: when it is not installed.
        """


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
    reason = (
        error if isinstance(error, KhubError) else KhubError(f"{type(error).__name__}: {error}", code="program_failed")
    )

    def measure(*_: Any) -> float:
        raise reason

    return measure


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} (not installed)"
