"""Why a model gave no usable reply, and whether asking again may help."""

import datetime
import email.utils
from dataclasses import dataclass
from typing import Any

from components.failure_reason import failure_reason

WORTH_ANOTHER_TRY = (408, 409, 425, 429)
"""HTTP statuses below 500 that pass; others are due to the request."""
DUE_TO_ALL = (401, 402, 403, 404)
"""HTTP statuses that every further call would get too: wrong key, no credit, no such model or address."""
REASON_CHARACTERS = 300
NO_TIME = "the time for this stage is over"
HANGING_WEIGHT = 5
"""A call without an answer costs its whole time: so many of the quick failures it counts for."""


class UnusableReplyError(ValueError):
    """A reply that came, and is not what was asked for."""


class NoTimeError(TimeoutError):
    """A call that was not made or not finished because the time for all calls is over."""


@dataclass(frozen=True)
class ModelFailure:
    """One call that failed.

    :param reason: one line.
    :param retry: whether the same call may succeed later.
    :param fatal: whether all other calls would fail too.
    :param wait_s: seconds that the server asks to wait, None if it does not.
    :param weight: how much it counts towards giving the server up; 0 for a server that did answer.
    """

    reason: str
    retry: bool
    fatal: bool
    wait_s: float | None
    weight: int

    @classmethod
    def of(cls, error: BaseException) -> "ModelFailure":
        """Classify what a chat generator of any kind has raised."""
        reason = failure_reason(error)[:REASON_CHARACTERS]
        if isinstance(error, UnusableReplyError | NoTimeError):
            said = " ".join(str(error).split())[:REASON_CHARACTERS]
            return cls(said, isinstance(error, UnusableReplyError), False, None, 0)
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
        if not isinstance(status, int):
            hanging = isinstance(error, TimeoutError) or "Timeout" in type(error).__name__
            return cls(reason, True, False, None, HANGING_WEIGHT if hanging else 1)
        retry = status >= 500 or status in WORTH_ANOTHER_TRY
        wait_s = asked_wait(getattr(response, "headers", None)) if retry else None
        return cls(reason, retry, status in DUE_TO_ALL, wait_s, int(retry))


def asked_wait(headers: Any) -> float | None:
    """Return the seconds to wait that an HTTP response asks for, None if it does not.

    `Retry-After` is seconds or a date (RFC 9110, section 10.2.3); OpenAI adds `retry-after-ms`.

    :param headers: any mapping of header names to values.
    """
    if headers is None:
        return None
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after") or headers.get("Retry-After")
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        date = email.utils.parsedate_to_datetime(str(value))
    except ValueError:
        return None
    return max(0.0, (date - datetime.datetime.now(date.tzinfo or datetime.UTC)).total_seconds())
