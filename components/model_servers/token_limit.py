"""How many tokens of language models and embedders may be spent: in a day, and in one run."""

import contextlib
import contextvars
import os
import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from haystack import Document
from haystack.dataclasses import ChatMessage

from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.model_servers.model_failure import TokensSpentError
from khub.components.private_files import private_file

PER_DAY = "KHUB_MODEL_TOKENS_PER_DAY"
PER_RUN = "KHUB_MODEL_TOKENS_PER_RUN"
FILE = "model_tokens.sqlite3"
BUSY_TIMEOUT_S = 10.0
CHARACTERS_PER_TOKEN = 4
"""Of English; a Chinese character is about a token."""


class _Run:
    """What one run has spent, and the hub that it began in: an evaluation changes to others meanwhile."""

    def __init__(self) -> None:
        self.tokens = 0
        self.home = hub_home()
        self.lock = threading.Lock()


_RUN: contextvars.ContextVar[_Run | None] = contextvars.ContextVar("khub_tokens_of_run", default=None)


@contextlib.contextmanager
def one_run() -> Iterator[None]:
    """Count the tokens that the block spends as those of one run; a run inside of another belongs to it."""
    token = _RUN.set(_RUN.get() or _Run())
    try:
        yield
    finally:
        _RUN.reset(token)


def refuse_overspending(inputs: Any) -> None:
    """Do nothing while the tokens of a call may be spent, as far as they are known before it: those of its prompt.

    :raises TokensSpentError: once they are spent, or where the prompt alone goes beyond what is left.
    """
    run, per_run, per_day = _RUN.get(), _limit(PER_RUN), _limit(PER_DAY)
    if per_run is not None and run is not None:
        _refuse(per_run, run.tokens, inputs, "a run", f"raise {PER_RUN}")
    if per_day is not None:
        _refuse(per_day, spent_today(), inputs, "today", f"raise {PER_DAY}, or go on tomorrow")


def _refuse(limit: int, spent: int, inputs: Any, of: str, remedy: str) -> None:
    if spent >= limit:
        raise TokensSpentError(f"not asked: the {limit:,} tokens of {of} are spent", remedy)
    needed = _estimated(inputs)
    if spent + needed > limit:
        left = f"{limit - spent:,} of the {limit:,} tokens of {of} are left"
        raise TokensSpentError(f"not asked: the prompt has about {needed:,} tokens, and {left}", remedy)


def count_tokens(inputs: Any, outputs: dict[str, Any]) -> None:
    """Count what a call has spent, where that is limited: as its server tells, else by the length of the texts."""
    run, per_day = _RUN.get(), _limit(PER_DAY)
    if per_day is None and (run is None or _limit(PER_RUN) is None):
        return
    tokens = _told(outputs) or _estimated(inputs) + _estimated(outputs.get("replies") or [])
    if run is not None:
        with run.lock:
            run.tokens += tokens
    if per_day is not None:
        with _file() as file:
            file.execute(
                "INSERT INTO spent VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET tokens = tokens + excluded.tokens",
                (_today(), tokens),
            )


def spent_today() -> int:
    """Return how many tokens all processes of the hub have spent today, as far as a limit made them count."""
    with _file() as file:
        row = file.execute("SELECT tokens FROM spent WHERE day = ?", (_today(),)).fetchone()
    return int(row[0]) if row else 0


def _limit(variable: str) -> int | None:
    text = os.environ.get(variable, "").replace("_", "")
    if not text:
        return None
    if not text.isdecimal():
        raise GraphError(
            f"{variable} is {text!r}", "set it to a whole number of tokens, or unset it", code="setting_invalid"
        )
    return int(text)


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()


@contextlib.contextmanager
def _file() -> Iterator[sqlite3.Connection]:
    run = _RUN.get()
    path = (run.home if run else hub_home()) / FILE
    private_file(path)
    with contextlib.closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as file, file:
        file.execute("CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, tokens INTEGER NOT NULL)")
        yield file


def _told(outputs: dict[str, Any]) -> int:
    """Return the tokens that a server has counted, by the names of OpenAI, Anthropic, Cohere or Ollama; 0 for none."""
    replies = outputs.get("replies") or []
    metas = [getattr(reply, "meta", None) for reply in replies] or [outputs.get("meta")]
    usages = [meta.get("usage") for meta in metas if isinstance(meta, dict)]
    return max((_sum(usage) for usage in usages if isinstance(usage, dict)), default=0)


def _sum(usage: dict[str, Any]) -> int:
    total = usage.get("total_tokens")
    if isinstance(total, int | float) and total:
        return int(total)
    names = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
    return int(sum(usage[name] for name in names if isinstance(usage.get(name), int | float)))


def _estimated(value: Any) -> int:
    if isinstance(value, str):
        ascii_ = sum(map(str.isascii, value))
        return -(-ascii_ // CHARACTERS_PER_TOKEN) + len(value) - ascii_
    if isinstance(value, ChatMessage):
        return _estimated(value.texts)
    if isinstance(value, Document):
        return _estimated(value.content or "")
    if isinstance(value, dict):
        return sum(_estimated(item) for name, item in value.items() if name != "meta")
    return sum(map(_estimated, value)) if isinstance(value, list | tuple) else 0
