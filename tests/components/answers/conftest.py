from collections.abc import Iterator

import pytest

from tests.eval.examples.chat_server import ChatServer, serving


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A language model's server, whose turns the test writes."""
    monkeypatch.setenv("KHUB_LLM_API_KEY", "a-key")
    with serving() as server:
        yield server
