"""Places for the work that a service does at the same time: who finds none waits, and none takes them all."""

import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter

from khub.components.errors import KhubError
from khub.components.idle_threads import SHARED

T = TypeVar("T")

PATIENCE_S = 30.0
"""So long may a caller wait for a place."""
RETRY_S = 5
TOO_MANY, TOO_LATE = 429, 503


@dataclass(frozen=True)
class Share:
    """How much there is of one kind of work.

    :param at_once: in all.
    :param of_one: of one caller.
    :param waiting: of one caller, beside those at work.
    """

    at_once: int
    of_one: int
    waiting: int


SHARES: Mapping[str, Share] = MappingProxyType({
    "query": Share(4, 3, 100),
    "query with a model": Share(32, 24, 100),
    "verify": Share(2, 1, 20),
    "verify with a model": Share(8, 4, 20),
    "embed": Share(2, 1, 20),
    "picture": Share(4, 2, 100),
})  # fmt: skip
"""Kinds of work. Python runs one thread at a time: more of them would each take longer, and none of the health checks
would come through. What waits for a language model's server keeps nobody from running."""


class TooBusyError(KhubError):
    """More work at once than the hub takes: try again later.

    :param status: HTTP's: whether the caller itself asks for too much, or everybody together.
    """

    code = "too_busy"

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message, f"ask again in {RETRY_S} s")
        self.status = status


class Place:
    """A place that is taken until it is given back, from whatever thread."""

    def __init__(self, *limiters: CapacityLimiter) -> None:
        self._loop = asyncio.get_running_loop()
        self._limiters = limiters

    def give_back(self) -> None:
        """Let another one have it; nothing if it has been given back."""
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it all that waits
            self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        limiters, self._limiters = self._limiters, ()
        for limiter in reversed(limiters):
            limiter.release_on_behalf_of(self)


class Places:
    """The places of a process; each caller waits behind its own work before it waits behind that of others.

    :param shares: kind of work -> how much of it.
    :param patience_s: so long may a caller wait.
    """

    def __init__(self, shares: Mapping[str, Share] = SHARES, patience_s: float = PATIENCE_S) -> None:
        self._shares = shares
        self._patience_s = patience_s
        self._all: dict[str, CapacityLimiter] = {}
        self._own: WeakValueDictionary[tuple[str, str], CapacityLimiter] = WeakValueDictionary()

    async def take(self, kind: str, who: str) -> Place:
        """Wait for a place, and take it; what is of no kind that is counted has it at once.

        :param kind: of work.
        :param who: the caller's name, or its address.
        :raises TooBusyError: where too much of the caller's waits, or none has become free for long.
        """
        share = self._shares.get(kind)
        if share is None:
            return Place()
        everyone = self._all.setdefault(kind, CapacityLimiter(share.at_once))
        own = self._own.get((kind, who))
        if own is None:
            own = self._own[kind, who] = CapacityLimiter(share.of_one)
        if own.statistics().tasks_waiting >= share.waiting:
            raise TooBusyError(TOO_MANY, f"{share.waiting} requests of yours wait already")
        place = Place(own, everyone)
        try:
            async with asyncio.timeout(self._patience_s):
                await own.acquire_on_behalf_of(place)
                try:
                    await everyone.acquire_on_behalf_of(place)
                except BaseException:
                    own.release_on_behalf_of(place)
                    raise
        except TimeoutError as error:
            message = f"other requests are being answered, and none has ended in {self._patience_s:g} s"
            raise TooBusyError(TOO_LATE, message) from error
        return place


_WITHIN: contextvars.ContextVar[tuple[Places, str] | None] = contextvars.ContextVar("khub_places", default=None)


@contextlib.contextmanager
def counted_among(places: Places, who: str) -> Iterator[None]:
    """Let the block's work take places.

    :param who: for whom it works.
    """
    token = _WITHIN.set((places, who))
    try:
        yield
    finally:
        _WITHIN.reset(token)


async def take_place(kind: str) -> Place:
    """Take a place for work of this kind, which is to be given back; at once where no service counts.

    :raises TooBusyError: where there is none.
    """
    within = _WITHIN.get()
    return Place() if within is None else await within[0].take(kind, within[1])


async def work_in_place(kind: str, call: Callable[..., T], *arguments: Any) -> T:
    """Call something on a thread, which has a place until it ends, whether anybody still waits for it or not.

    :param kind: of work.
    :raises TooBusyError: where there is no place.
    """
    place = await take_place(kind)
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()  # it goes on when nobody waits any more
    context = contextvars.copy_context()

    def work() -> None:
        try:
            done.set_result(context.run(call, *arguments))
        except BaseException as error:
            done.set_exception(error)
        finally:
            place.give_back()

    try:
        SHARED.start(work, kind)
    except RuntimeError:  # the system has no thread left
        place.give_back()
        raise
    return await asyncio.wrap_future(done)
