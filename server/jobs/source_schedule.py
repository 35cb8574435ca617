"""Ask for the sync of each source when its time has come, once, however many services there are."""

import logging
import threading
from datetime import UTC, datetime, timedelta
from functools import cache

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.source_states import WAITS_FOR, SourceState
from khub.components.errors import KhubError
from khub.components.trust import allowed_pairs
from khub.server.jobs.source_jobs import add_source_job
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.configured import read_sources

LOOK_S = 5.0
SKEW_S = 60.0
"""The clocks of machines may differ by so much: a turn that another has given is none of a longer interval."""
logger = logging.getLogger(__name__)


def keep_schedule(stop: threading.Event) -> None:
    """Look for sources whose turn it is until somebody says stop."""
    told = ""
    while not stop.is_set():
        try:
            ask_for_due()
            told = ""
        except (OSError, KhubError) as error:
            if str(error) != told:
                logger.error("sources are not synced at the moment: %s", error)
            told = str(error)
        stop.wait(LOOK_S)


def ask_for_due() -> list[str]:
    """Ask for a job for each source whose time has come; return their keys."""
    due = []
    usable, wrong = read_sources()
    for error in wrong:
        _tell(str(error))
    for asked in usable:
        if asked.every_s is not None and _is_due(asked, asked.every_s):
            add_source_job(asked)
            due.append(asked.key)
    return due


@cache
def _tell(problem: str) -> None:
    logger.error("%s", problem)


def _is_due(asked: AskedSource, every_s: float) -> bool:
    states, now = open_catalog().source_states, datetime.now(UTC)
    states.add(asked.key, asked.collection, asked.shown)
    if _is_allowed_now(states.get(asked.key)):
        states.make_due(asked.key)
    next_at = now + timedelta(seconds=every_s)
    return states.take_turn(asked.key, _text(now), _text(next_at), _text(next_at + timedelta(seconds=SKEW_S)))


def _is_allowed_now(state: SourceState | None) -> bool:
    """Say whether a source was refused for want of trust which it has now: it need not wait for its next turn."""
    pairs = state.record.get(WAITS_FOR) or [] if state else []
    return bool(pairs) and {(variable, host.lower()) for variable, host in pairs} <= allowed_pairs()


def _text(time: datetime) -> str:
    return time.isoformat(timespec="seconds")
