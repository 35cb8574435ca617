"""Why a model gave no usable reply, and whether asking again may help."""

from dataclasses import dataclass

from khub.components.bounded_call import BusyError
from khub.components.errors import KhubError
from khub.components.failure_reason import failure_reason
from khub.components.refused_call import asked_wait, body_of, causes, status_of

WORTH_ANOTHER_TRY = (408, 409, 425, 429)
"""HTTP statuses below 500 that pass; others are due to the request."""
TOO_MANY = 429
DUE_TO_ALL = (401, 402, 403, 404)
"""HTTP statuses that every further call would get too: wrong key, no credit, no such model or address."""
NO_CREDIT = ("insufficient_quota", "billing")
"""What a server says with the status of too many requests when waiting does not help."""
REASON_CHARACTERS = 300
NO_TIME = "the time for this stage is over"
HANGING_WEIGHT = 5
"""A call without an answer costs its whole time: so many of the quick failures it counts for."""


class UnusableReplyError(ValueError):
    """A reply that came, and is not what was asked for."""


class NoTimeError(TimeoutError):
    """A call that was not made or not finished because the time for all calls is over."""


class NotAskedError(KhubError):
    """A call that was not made, since the server would not answer it now.

    :param wait_s: seconds after which it may.
    :param rests: whether the server is left alone because calls have failed.
    :param given_up: whether not even work that could wait should wait for it.
    """

    code = "model_not_asked"

    def __init__(self, message: str, wait_s: float, rests: bool = False, given_up: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.rests = rests
        self.given_up = given_up


class TokensSpentError(KhubError):
    """A call that was not made, since as many tokens are spent as may be."""

    code = "tokens_spent"


@dataclass(frozen=True)
class ModelFailure:
    """One call that failed, or was not made.

    :param reason: one line.
    :param retry: whether the same call may succeed later.
    :param fatal: whether all other calls would fail too.
    :param wait_s: seconds that the server asks to wait, None if it does not.
    :param weight: how much it counts towards leaving the server alone; 0 for a server that did answer.
    :param rests: whether the server is left alone.
    :param status: of HTTP, None if there was no answer.
    """

    reason: str
    retry: bool
    fatal: bool
    wait_s: float | None
    weight: int
    rests: bool = False
    status: int | None = None

    @property
    def hangs(self) -> bool:
        """Whether no answer came in time."""
        return self.weight == HANGING_WEIGHT

    @classmethod
    def of(cls, error: BaseException) -> "ModelFailure":
        """Classify what a chat generator of any kind has raised."""
        reason = failure_reason(error)[:REASON_CHARACTERS]
        if isinstance(error, UnusableReplyError | NoTimeError):
            said = " ".join(str(error).split())[:REASON_CHARACTERS]
            return cls(said, isinstance(error, UnusableReplyError), False, None, 0)
        if isinstance(error, NotAskedError):
            return cls(reason, True, error.given_up, error.wait_s, 0, error.rests)
        if isinstance(error, TokensSpentError | BusyError):
            return cls(reason, False, True, None, 0)
        status = status_of(error)
        if status is None:
            hanging = any(isinstance(one, TimeoutError) or "Timeout" in type(one).__name__ for one in causes(error))
            passes = hanging or not isinstance(error, KhubError)  # one of the hub's own would be the same again
            return cls(reason, passes, False, None, HANGING_WEIGHT if hanging else int(passes))
        no_credit = status == TOO_MANY and any(word in str(body_of(error)) for word in NO_CREDIT)
        fatal = status in DUE_TO_ALL or no_credit
        retry = not fatal and (status >= 500 or status in WORTH_ANOTHER_TRY)
        return cls(reason, retry, fatal, asked_wait(error) if retry else None, int(retry), status=status)
