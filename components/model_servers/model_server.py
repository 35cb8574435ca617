"""A server that models are asked on, as the whole process knows it: whether it answers, how often it may be asked."""

import math
import os
import re
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from haystack.utils import Secret

from khub.components.call_time import time_left
from khub.components.errors import GraphError
from khub.components.model_servers.model_failure import ModelFailure, NotAskedError

REQUESTS_PER_MINUTE = "KHUB_MODEL_REQUESTS_PER_MINUTE"
MINUTE_S = 60.0
OPEN_AT = 5
"""Weight of the failures in a row (see `ModelFailure`) after which a server is left alone: one call that hangs."""
GIVEN_UP_AT = 30
"""Weight from which on work that could wait does not wait any longer either."""
TRIAL_WEIGHT = 5
"""So many times as much counts the failure of the one call that is made once the pause is over."""
SHORTEST_PAUSE_S, LONGEST_PAUSE_S, PAUSES_PER_LOSS = 10.0, 60.0, 3.0
"""A server is left alone so many times as long as the last call to it has lost, within these bounds."""
MORE_TIME = 2.0
"""A call that has more than so many times the time that others have waited in vain is made all the same, by itself: a
stage with a short limit says nothing of one with a long limit."""
HUNG_SHARE = 0.5
"""A call that is given up with others says nothing of its server if it had less than this of the time."""

URLS = ("api_base_url", "base_url", "api_url", "api_base", "azure_endpoint", "endpoint", "url", "host")
MODELS = ("model", "model_name", "azure_deployment")

_servers: dict[tuple[str, str], "ModelServer"] = {}
_finding = threading.Lock()


class ModelServer:
    """Lets calls through, one at a time after a pause where too many have failed (a circuit breaker, M. Nygard).

    :param name: as messages name it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._failed_at, self._said = -math.inf, ""
        self._answered_at = -math.inf
        self._not_before = self._not_asked_before = -math.inf
        self._waited_s = 0.0
        self._trial: ServerCall | None = None
        self._begun: deque[float] = deque()

    def begin(self) -> "ServerCall":
        """Begin a call.

        :raises NotAskedError: where none is to be made now.
        """
        most = requests_per_minute()
        with self._lock:
            now = time.monotonic()
            if now < self._not_before:
                wait_s = self._not_before - now
                raise NotAskedError(f"not asked: {self.name} asks to wait {wait_s:.0f} s", wait_s)
            is_open = self._in_a_row >= OPEN_AT
            # what a trial has not said after the longest pause, it will not say
            tried = self._trial is not None and now < self._trial.begun + LONGEST_PAUSE_S
            longer = MORE_TIME * self._waited_s < time_left() < math.inf
            if is_open and (tried or (now < self._not_asked_before and not longer)):
                ago = f"{now - self._failed_at:.0f} s ago"
                wait_s = max(self._not_asked_before - now, 1.0)
                silent = f"did not answer {ago}: see that it runs; it is asked again in {wait_s:.0f} s"
                why = f"failed {ago}: {self._said}" if self._said else silent
                raise NotAskedError(f"not asked: {self.name} {why}", wait_s, True, self._in_a_row >= GIVEN_UP_AT)
            while self._begun and self._begun[0] <= now - MINUTE_S:
                self._begun.popleft()
            if len(self._begun) >= most:
                wait_s = self._begun[-int(most)] + MINUTE_S - now
                reached = f"{REQUESTS_PER_MINUTE}={most:g} is reached at {self.name}"
                raise NotAskedError(f"not asked: {reached}: raise it, or ask again in {wait_s:.0f} s", wait_s)
            if most < math.inf:
                self._begun.append(now)
            call = ServerCall(self, now)
            if is_open:
                self._trial = call
            return call

    def _ended(self, call: "ServerCall", failure: ModelFailure | None) -> None:
        with self._lock:
            now = time.monotonic()
            is_trial = self._trial is call
            if is_trial:
                self._trial = None
            if failure is None or not failure.weight:
                self._in_a_row, self._waited_s, self._answered_at = 0, 0.0, now
                return
            if failure.wait_s is not None:
                self._not_before = max(self._not_before, now + failure.wait_s)
            if failure.hangs and self._answered_at > call.begun:
                return  # others had answers meanwhile: that one was slow
            self._in_a_row += failure.weight * (TRIAL_WEIGHT if is_trial else 1)
            self._waited_s = max(self._waited_s, now - call.begun if failure.hangs else math.inf)
            self._failed_at, self._said = now, "" if failure.hangs else failure.reason
            pause_s = min(max(PAUSES_PER_LOSS * (now - call.begun), SHORTEST_PAUSE_S), LONGEST_PAUSE_S)
            self._not_asked_before = now + pause_s

    def _dropped(self, call: "ServerCall") -> None:
        with self._lock:
            if self._trial is call:
                self._trial = None


class ServerCall:
    """One call under way."""

    def __init__(self, server: ModelServer, begun: float) -> None:
        self.begun = begun
        self._server = server
        self._late = False
        self.has_spoken = False

    def answered(self) -> None:
        """Say that there is a reply, be it late."""
        self._server._ended(self, None)

    def failed(self, failure: ModelFailure) -> None:
        """Say that there is none; one that nobody waits for any more was counted when it was given up."""
        if not self._late:
            self._server._ended(self, failure)

    def dropped(self) -> None:
        """Say that nothing is known of the server by this call."""
        self._server._dropped(self)

    def speaks(self) -> None:
        """Say that a part of the reply is there: whatever becomes of it, the server does not hang."""
        self.has_spoken = True

    def given_up(self, timeout_s: float, hangs: bool) -> str:
        """Say that nobody waits any longer; return the server's name.

        :param timeout_s: the time for this call and whatever was done before it.
        :param hangs: whether all of that was waited for.
        """
        if self._late:
            return self._server.name  # by the call around the one that gives up now
        hung = hangs and not self.has_spoken and time.monotonic() - self.begun >= HUNG_SHARE * timeout_s
        self._late = True
        if hung:
            self._server._ended(self, ModelFailure.of(TimeoutError()))
        else:
            self.dropped()
        return self._server.name


def requests_per_minute() -> float:
    """Return how often one server may be asked in a minute; infinity where nothing is said.

    :raises GraphError: when the variable is no number above 0.
    """
    text = os.environ.get(REQUESTS_PER_MINUTE, "")
    if not text:
        return math.inf
    if not text.isdecimal() or not int(text):
        raise GraphError(
            f"{REQUESTS_PER_MINUTE} is {text!r}",
            "set it to a whole number above 0, or unset it",
            code="setting_invalid",
        )
    return int(text)


def server_of(part: Any) -> ModelServer | None:
    """Return the server that a component asks, the same for all that ask there for the same model; None for none."""
    place = _place(part)
    if not place:
        return None
    model = next(iter(_values(part, MODELS)), "")
    with _finding:
        return _servers.setdefault((place, model), ModelServer(place))


def _place(part: Any) -> str:
    for url in _values(part, URLS):
        parsed = urlsplit(url if "://" in url else f"//{url}")
        if parsed.hostname:
            return f"the server at {parsed.hostname}{f':{parsed.port}' if parsed.port else ''}"
    if any(isinstance(value, Secret) and "key" in name for name, value in vars(part).items()):
        return f"the server of {re.sub('(Chat)?(Generator|Text|Document|Embedder|Ranker)', '', type(part).__name__)}"
    return ""


def _values(part: Any, names: tuple[str, ...]) -> list[str]:
    more = vars(part).get("api_params")
    held: Mapping[str, Any] = {**vars(part), **(more if isinstance(more, dict) else {})}
    return [held[name] for name in names if isinstance(held.get(name), str) and held[name]]
