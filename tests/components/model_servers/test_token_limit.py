import multiprocessing
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, component
from haystack.dataclasses import ChatMessage

from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.model_servers import token_limit
from khub.components.model_servers.model_failure import ModelFailure, TokensSpentError
from khub.components.model_servers.served_run import by_server
from khub.components.model_servers.token_limit import PER_DAY, PER_RUN, one_run, spent_today
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@component
class Remote:
    def __init__(self, usage: dict[str, int] | None = None) -> None:
        self.url = "http://127.0.0.1:9"
        self.usage = usage
        self.calls = 0

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        self.calls += 1
        return {"replies": [ChatMessage.from_assistant("two words", meta={"usage": self.usage})]}


@component
class Embedder:
    def __init__(self) -> None:
        self.url = "http://127.0.0.1:9"

    @component.output_types(documents=list[Document], meta=dict)
    def run(self, documents: list[Document]) -> dict[str, Any]:
        return {"documents": documents, "meta": {"usage": {"prompt_tokens": 11, "total_tokens": 11}}}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))


def ask(part: Any, text: str = "what?") -> None:
    part.run(messages=[ChatMessage.from_user(text)])


def test_once_the_tokens_of_a_day_are_spent_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PER_DAY, "100")
    part = by_server(Remote({"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}))
    ask(part)
    ask(part)
    with raises_code("tokens_spent", "100 tokens of today", "KHUB_MODEL_TOKENS_PER_DAY"):
        ask(part)
    assert (part.calls, spent_today()) == (2, 120)
    assert ModelFailure.of(TokensSpentError("")).fatal
    monkeypatch.setattr(token_limit, "_today", lambda: "2999-01-01")
    ask(part)
    assert (part.calls, spent_today()) == (3, 60)


@pytest.mark.skipif(sys.platform == "win32", reason="a process there begins anew, which takes long")
def test_the_count_of_a_day_outlives_a_process_that_has_another_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PER_DAY, "100")
    part = by_server(Remote({"total_tokens": 60}))
    for day, tokens in (("2026-01-01", 60), ("2026-01-02", 60), ("2026-01-01", 120)):
        monkeypatch.setattr(token_limit, "_today", lambda day=day: day)
        ask(part)
        assert spent_today() == tokens


def test_other_processes_count_too_and_the_file_is_the_owners_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PER_DAY, "100")
    ask(by_server(Remote({"input_tokens": 30, "output_tokens": 3})))
    told = {"meta": {"usage": {"total_tokens": 70}}}
    other = multiprocessing.get_context("fork").Process(target=token_limit.count_tokens, args=("", told))
    other.start()
    other.join()
    assert spent_today() == 103
    with pytest.raises(TokensSpentError):
        ask(by_server(Remote()))
    assert stat.S_IMODE((hub_home() / token_limit.FILE).stat().st_mode) == 0o600


def test_a_run_has_tokens_of_its_own_and_what_is_inside_of_it_is_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PER_RUN, "50")
    part = by_server(Remote({"total_tokens": 60}))
    for _ in range(2):
        with one_run():
            with one_run():
                ask(part)
            with raises_code("tokens_spent", "50 tokens of a run"):
                ask(part)
    assert part.calls == 2
    assert not (hub_home() / token_limit.FILE).exists()


@pytest.mark.parametrize(("text", "least", "most"), [("word " * 100, 120, 140), ("电池" * 100, 190, 220)])
def test_where_the_server_tells_nothing_the_texts_count(
    text: str, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PER_DAY, "1_000_000")
    ask(by_server(Remote()), text)
    assert least <= spent_today() <= most


@pytest.mark.parametrize("variable", [PER_RUN, PER_DAY])
def test_a_prompt_that_goes_beyond_what_is_left_is_not_sent(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "30")
    part = by_server(Remote({"total_tokens": 10}))
    with one_run():
        with raises_code("tokens_spent", "50 tokens", "30 of the 30 tokens"):
            ask(part, "word" * 50)
        ask(part, "word" * 20)
        with pytest.raises(TokensSpentError, match="20 of the 30"):
            ask(part, "word" * 21)
        ask(part, "word" * 20)
    assert part.calls == 2


def test_embedders_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PER_DAY, "1000")
    by_server(Embedder()).run(documents=[Document(content="x")])
    assert spent_today() == 11


def test_without_a_limit_nothing_is_written() -> None:
    with one_run():
        ask(by_server(Remote({"total_tokens": 60})))
    assert not hub_home().exists()


@pytest.mark.parametrize("variable", [PER_DAY, PER_RUN])
def test_a_limit_that_is_no_number_is_told(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "much")
    with one_run(), pytest.raises(GraphError, match=f"{variable} is 'much'"):
        ask(by_server(Remote()))
