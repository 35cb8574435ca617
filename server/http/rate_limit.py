"""How often a caller may ask."""

import math
import time
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.errors import KhubError
from khub.server.http.authentication import rated
from khub.server.http.problems import problem

REFUSED = parse("60/minute")
"""So often may an address come with a token that is none."""


@dataclass
class Rates:
    """The limits of one process.

    :param asked: for each caller, such as `600/minute`; None for as often as it likes.
    :raises KhubError: if `asked` is no rate.
    """

    asked: str | None = None

    def __post_init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        try:
            self._item: RateLimitItem | None = parse(self.asked) if self.asked else None
        except ValueError as error:
            raise KhubError(f"{self.asked!r} is no rate", "write it like 600/minute or 20/second") from error

    def wait_s(self, who: str) -> int:
        """Count a request; return after how many seconds it may come again if it comes too soon, else 0.

        :param who: the caller's name, or its address.
        """
        return 0 if self._item is None else self._counted(self._item, who)

    def guesses_wait_s(self, address: str) -> int:
        """Count a request with a token that is none; return as `wait_s` does."""
        return self._counted(REFUSED, address)

    def guesses_are_spent(self, address: str) -> bool:
        """Say whether one more request with a token that is none would come too soon; it is not counted."""
        return not self._limiter.test(REFUSED, address)

    def _counted(self, item: RateLimitItem, who: str) -> int:
        if self._limiter.hit(item, who):
            return 0
        return max(1, math.ceil(self._limiter.get_window_stats(item, who).reset_time - time.time()))


@dataclass
class RateLimit:
    """Refuses who asks too often."""

    app: ASGIApp
    rates: Rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        wait_s = self.rates.wait_s(rated(scope))
        await (too_often(wait_s) if wait_s else self.app)(scope, receive, send)


def too_often(wait_s: int) -> Response:
    """Return the answer to who may come again after some seconds."""
    return problem(429, "too many requests", {"Retry-After": str(wait_s)})
