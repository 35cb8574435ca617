"""How the time that a regular expression takes grows with its input."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from time import thread_time
from typing import Any

from tests.patterns.found import Found
from tests.patterns.pumps import Pump, pumps

FULL = 50_000
SCREENING = (24, 48, 96, 320, 1024)
"""Lengths at which all inputs are tried, to find those that are worth more."""
ABLAZE_S = 1e-4
"""What takes so long for a character does not get more of them."""
FLOOR_S = 0.01
"""Less is noise."""
LINEAR = 2.6
"""The most that twice the input may cost."""
PLAIN_S = 0.2
"""What takes longer is no chance; of what is quicker the next doubling has to cost as much more."""
WORST = 4
TAILS, ALL_TAILS = ("X!", "XX!", ""), ("X!", "XX!", "", "\n!", "\x00")
"""Two letters do not fit where one more may."""


@dataclass(frozen=True)
class Growth:
    """What the worst input of a pattern costs, and what twice as much costs."""

    way: str
    pump: Pump
    length: int
    seconds: float
    ratio: float


def faster_than_input(found: Found, tails: Sequence[str] = TAILS) -> list[Growth]:
    """Return what grows faster than its input, one of each way of using the pattern; empty where nothing does."""
    return [growth for way in sorted(found.ways) if (growth := _worst(found.pattern, way, tails))]


def dearest(found: Found, length: int) -> float:
    """Return the seconds that the worst input of a length takes, out of those that are worst when they are shorter."""
    costs = []
    for way in sorted(found.ways):
        run = _running(found.pattern, way)
        tried = sorted(pumps(found.pattern, TAILS), key=lambda pump: -_seconds(run, pump, length // 3))
        costs += [_seconds(run, pump, length) for pump in tried[:WORST]]
    return max(costs)


def _worst(pattern: re.Pattern[Any], way: str, tails: Sequence[str]) -> Growth | None:
    run = _running(pattern, way)
    costs: list[tuple[float, float, Pump]] = []
    for pump in pumps(pattern, tails):
        seconds = [0.0]
        for length in SCREENING:
            seconds.append(_seconds(run, pump, length))
            if seconds[-1] > ABLAZE_S * length and _seconds(run, pump, length) > ABLAZE_S * length:
                return Growth(way, pump, length, seconds[-1], float("inf"))
        costs.append((seconds[-1], seconds[-1] / seconds[-2], pump))
    dear = sorted(costs, key=itemgetter(0), reverse=True)
    growing = sorted(dear[: len(dear) // 4], key=itemgetter(1), reverse=True)
    worst = dict.fromkeys(pump for _, _, pump in [*dear[:WORST], *growing[:WORST]])
    return next((growth for pump in worst if (growth := _grown(run, way, pump))), None)


def _grown(run: Callable[[str], None], way: str, pump: Pump) -> Growth | None:
    """Double the input until it costs enough to be measured, up to its full length."""
    length = SCREENING[-1]
    while length < FULL:
        once, twice = (_seconds(run, pump, size) for size in (length, 2 * length))
        if twice > FLOOR_S and twice / once > LINEAR:
            once, twice = (min(_seconds(run, pump, size) for _ in range(3)) for size in (length, 2 * length))
            if twice / once > LINEAR and (twice > PLAIN_S or _seconds(run, pump, 4 * length) / twice > LINEAR):
                return Growth(way, pump, length, once, twice / once)
        length *= 2
    return None


def _seconds(run: Callable[[Any], None], pump: Pump, length: int) -> float:
    text = pump.text(length)
    before = thread_time()
    run(text)
    return max(thread_time() - before, 1e-7)


def _running(pattern: re.Pattern[Any], way: str) -> Callable[[str], None]:
    def run(text: str) -> None:
        asked: Any = text.encode("latin-1") if isinstance(pattern.pattern, bytes) else text
        if way == "finditer":
            deque(pattern.finditer(asked), maxlen=0)
        else:
            getattr(pattern, way)(asked)

    return run
