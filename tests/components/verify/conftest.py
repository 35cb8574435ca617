import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document

from khub.components.cancellation import cancellable
from khub.components.text.language import detect_language
from tests.eval.examples.chat_server import ChatServer, serving


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A language model's server, whose turns the test writes."""
    monkeypatch.setenv("KHUB_LLM_API_KEY", "a-key")
    with serving() as server:
        yield server


def passage_of(content: str, **meta: Any) -> Document:
    known = {"doc_id": "d", "source": "/manual.md", "title": None, "section": "", "page": None}
    return Document(content=content, meta={**known, "language": detect_language(content), **meta})


@pytest.fixture
def passage() -> Callable[..., Document]:
    return passage_of


def in_cancelled_run(function: Callable[[], Any]) -> Any:
    """Call a function as a component whose run was cancelled a moment ago."""
    contexts = []
    with contextlib.suppress(asyncio.CancelledError), cancellable():
        contexts.append(contextvars.copy_context())
        raise asyncio.CancelledError
    return contexts[0].run(function)
