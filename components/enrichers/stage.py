"""The engine of the stages that ask a model: bounded, patient, remembered, and never in a document's way."""

import contextvars
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for_futures
from dataclasses import dataclass
from typing import Any

from haystack import logging
from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage

from khub.components.enrichers.cache import EnrichmentCache, cache_key, open_cache
from khub.components.errors import ParameterError
from khub.components.model_servers.bounded_generator import BoundedGenerator, generator_identity
from khub.components.model_servers.model_failure import NO_TIME, ModelFailure, NotAskedError

logger = logging.getLogger(__name__)

LONGEST_BACKOFF_S = 30.0
LIMITS = ("concurrency", "attempts", "timeout_s", "backoff_s", "budget_s")
"""Parameters of the stages that do not change what comes of a reply."""

Ask = Callable[[list[ChatMessage]], str]


@dataclass(frozen=True)
class Task:
    """One thing to ask, for one chunk, image or document.

    :param doc_id: whose it is.
    :param asked: everything that the reply depends on besides the stage and the model, as JSON values.
    :param work: asks, by the function that it is given, and returns the result, a JSON value. It raises
        `UnusableReplyError` for a reply that is not what was asked for; then it is called again.
    """

    doc_id: str
    asked: Any
    work: Callable[[Ask], Any]


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    :param value: the result; None if there is none.
    :param reason: why there is none, in one line; "" if there is one.
    """

    value: Any = None
    reason: str = ""


class Stage:
    """Does tasks side by side, each as often as needed and as rarely as possible.

    What succeeded is kept (`EnrichmentCache`), so that a second run only asks for what failed. Failed calls are made
    again after growing pauses with a random part (M. Brooker, *Exponential Backoff and Jitter*, 2015), or after the
    time for which the server asks, which then holds for all calls. While the server is left alone (see `ModelServer`)
    all wait; it is given up for this run when it has failed after that, too.

    :param name: of the stage, in `degraded` and in the cache.
    :param version: changes whenever the same reply would be used otherwise.
    :param generator: any Haystack chat generator.
    :param concurrency: calls at a time, 1 or more.
    :param attempts: calls for one task, 1 or more.
    :param timeout_s: seconds that one call may take, above 0.
    :param backoff_s: seconds before the second call, at most; twice as many before the third …
    :param budget_s: seconds for all tasks of one `run`; what is not done then is left undone.
    :raises GraphError: when a number is out of range.
    """

    def __init__(
        self,
        name: str,
        version: str,
        generator: ChatGenerator,
        *,
        concurrency: int,
        attempts: int,
        timeout_s: float,
        backoff_s: float,
        budget_s: float,
    ) -> None:
        limits = {"concurrency": concurrency, "attempts": attempts, "timeout_s": timeout_s, "budget_s": budget_s}
        for key, value in limits.items():
            if value <= 0:
                raise ParameterError(f"stage {name!r} has {key}={value}", "give a number above 0")
        if backoff_s < 0:
            raise ParameterError(f"stage {name!r} has backoff_s={backoff_s}", "give 0 or more seconds")
        self.name = name
        self.version = version
        self.concurrency = concurrency
        self.attempts = attempts
        self.backoff_s = backoff_s
        self.budget_s = budget_s
        self._given = generator
        self._generator = BoundedGenerator(generator, timeout_s, max_hung=concurrency, retries=0)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Warm the generator up; one that cannot be (no key, say) is reported by `run`, for each task that needs it."""
        try:
            self._generator.warm_up()
        except Exception as error:
            logger.debug("{stage} did not warm up: {error}", stage=self.name, error=error)

    def close(self) -> None:
        """Release what the generator holds."""
        self._generator.close()

    def run(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Do all tasks; equal ones are done once.

        :returns: what came of each, in the same order. Nothing that a model, its server or the cache does is raised.
        """
        identity = generator_identity(self._given)
        keys = [cache_key(self.name, self.version, identity, task.asked) for task in tasks]
        cache = open_cache()
        outcomes = {key: Outcome(value) for key, value in cache.get(list(dict.fromkeys(keys))).items()}
        missing = {key: task for key, task in zip(keys, tasks, strict=True) if key not in outcomes}
        if missing:
            outcomes |= self._ask_all(missing, cache)
            failed = [outcome.reason for outcome in map(outcomes.__getitem__, missing) if outcome.reason]
            if failed:
                logger.warning(
                    "{stage} fell back to rules for {count} of {all}: {reason}",
                    stage=self.name,
                    count=len(failed),
                    all=len(tasks),
                    reason=failed[-1],
                )
        uses = {(k, task.doc_id) for k, task in zip(keys, tasks, strict=True) if not outcomes[k].reason}
        if uses:
            cache.note_uses(sorted(uses))
        return [outcomes[key] for key in keys]

    def _ask_all(self, tasks: dict[str, Task], cache: EnrichmentCache) -> dict[str, Outcome]:
        try:
            self._generator.warm_up()
        except Exception as error:  # each generator has errors of its own
            return dict.fromkeys(tasks, Outcome(reason=ModelFailure.of(error).reason))
        run = _Run(time.monotonic() + self.budget_s)
        with ThreadPoolExecutor(self.concurrency, thread_name_prefix=f"enrichment-{self.name}") as pool:
            futures = {
                key: pool.submit(contextvars.copy_context().run, self._outcome, task, key, run, cache)
                for key, task in tasks.items()
            }
            try:
                return {key: future.result() for key, future in futures.items()}
            except BaseException:  # an interruption: the threads must not go on asking
                run.stop("interrupted")
                raise

    def _outcome(self, task: Task, key: str, run: "_Run", cache: EnrichmentCache) -> Outcome:
        reason, attempt = "", 0
        here = contextvars.copy_context()  # the work may ask in a thread of its own
        while attempt < self.attempts:
            if stopped := run.wait_for_turn():
                return Outcome(reason=f"{stopped} ({reason})" if reason else stopped)
            try:
                value = task.work(
                    lambda messages: here.copy().run(self._generator.ask, messages, run.deadline, run.stopped)
                )
            except Exception as error:
                failure = ModelFailure.of(error)
                reason = failure.reason
                was_asked = not isinstance(error, NotAskedError)
                attempt += was_asked
                if failure.fatal:
                    run.stop(reason if was_asked else f"given up, {reason}")
                if failure.wait_s is not None:
                    asked_for = f"the server asks to wait {failure.wait_s:.0f} s"
                    run.hold(failure.wait_s, asked_for if was_asked else reason)
                elif failure.retry and attempt < self.attempts:
                    longest = min(self.backoff_s * 2 ** (attempt - 1), LONGEST_BACKOFF_S)
                    run.wait(longest * random.uniform(0.5, 1))  # noqa: S311 - jitter
                if not failure.retry:
                    break
                continue
            cache.put(key, self.name, value)
            return Outcome(value)
        return Outcome(reason=reason)


class _Run:
    """What the threads of one run share: the end of its time, and the server's wish to wait."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.stopped: Future[str] = Future()
        self._not_before, self._why = 0.0, ""
        self._lock = threading.Lock()

    def stop(self, reason: str) -> None:
        with self._lock:
            if not self.stopped.done():
                self.stopped.set_result(reason)

    def hold(self, seconds: float, why: str) -> None:
        with self._lock:
            self._not_before, self._why = max((self._not_before, self._why), (time.monotonic() + seconds, why))

    def wait(self, seconds: float) -> None:
        wait_for_futures([self.stopped], timeout=max(0.0, min(seconds, self.deadline - time.monotonic())))

    def wait_for_turn(self) -> str:
        """Wait as long as the server asks; return why there is no turn any more, or ""."""
        while not self.stopped.done():
            now = time.monotonic()
            if self._not_before >= self.deadline:
                self.stop(f"{self._why}, longer than there is time")
            elif now >= self.deadline:
                self.stop(NO_TIME)
            elif now >= self._not_before:
                return ""
            else:
                self.wait(self._not_before - now)
        return self.stopped.result()
