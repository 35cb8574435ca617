"""A process that lives on answers the commands of its hub."""

import json
import os
import shutil
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from khub import Hub
from khub.server.cli import app
from khub.server.nearby import answering
from khub.server.nearby.answering import answering_commands
from khub.server.nearby.asking import FOLDER, AskedNearby, answer_nearby, own_setting, sockets_of
from tests.server.http.test_graph_routes import until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such sockets on this system"),
]
QUESTION = "How long does the battery last?"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A hub with one document, in a folder whose path a socket takes."""
    folder = Path(tempfile.mkdtemp(prefix="khub-"))
    monkeypatch.setenv("KHUB_HOME", str(folder))
    file = folder / "ember.md"
    file.write_text("# Ember\n\nThe battery of the Ember robot lasts eleven hours.\n", encoding="utf-8")
    Hub().ingest(file)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def asked(**more: Any) -> AskedNearby:
    question: AskedNearby = {"query": QUESTION, "graph": "query", "setting": own_setting()}
    return {**question, **more}  # type: ignore[typeddict-item]


def test_a_command_writes_the_same_whoever_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    by_itself = CliRunner().invoke(app, ["query", QUESTION])
    with answering_commands():
        until(lambda: answer_nearby(asked()) is not None)  # it greets within half a second, or is left alone
        monkeypatch.setattr("khub.server.commands.query._ask_here", None)  # it must not come to this
        nearby = CliRunner().invoke(app, ["query", QUESTION])
        as_json = CliRunner().invoke(app, ["query", QUESTION, "-k", "1", "--filter", "type:md", "--json"])

    assert (nearby.exit_code, nearby.output) == (0, by_itself.output)
    assert "eleven hours" in nearby.output
    value = json.loads(as_json.stdout)
    assert [citation["source"] for citation in value["citations"]] == [str(Path(os.environ["KHUB_HOME"], "ember.md"))]
    assert value["filters"]


def test_the_socket_is_its_owners_alone_and_goes_with_the_process(home: Path) -> None:
    with answering_commands():
        (path,) = sockets_of(home)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((home / FOLDER).stat().st_mode) == 0o700

    assert list(sockets_of(home)) == []
    assert answer_nearby(asked()) is None


@pytest.mark.parametrize("name", ["KHUB_ACCESS", "KHUB_TRACE"])
def test_a_process_with_other_settings_does_not_answer(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with answering_commands():
        until(lambda: answer_nearby(asked()) is not None)  # it greets within half a second, or is left alone
        monkeypatch.setenv(name, "verbose")
        assert answer_nearby(asked()) is None


@pytest.mark.parametrize("graph", ["more/ask", "no_such", "query.yaml"])
def test_a_graph_that_talks_to_others_or_is_none_is_the_commands_own(graph: str) -> None:
    with answering_commands():
        assert answer_nearby(asked(graph=graph)) is None


def test_what_cannot_be_answered_is_told_by_the_command() -> None:
    with answering_commands():
        assert answer_nearby(asked(collection="nowhere")) is None
        result = CliRunner().invoke(app, ["query", QUESTION, "--collection", "nowhere"])

    assert result.exit_code != 0
    assert "nowhere" in result.output


def test_a_socket_of_a_process_that_was_killed_is_passed_over_and_goes(home: Path) -> None:
    left = home / FOLDER / "1.sock"
    with answering_commands():
        with socket.socket(socket.AF_UNIX) as gone:
            gone.bind(str(left))
        os.utime(left, (2**32, 2**32))  # the newest is asked first
        until(lambda: answer_nearby(asked()) is not None)  # it greets within half a second, or is left alone

    assert not left.exists()


def test_a_process_that_says_nothing_is_not_waited_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("khub.server.nearby.asking.GREETING_S", 0.05)
    (home / FOLDER).mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(home / FOLDER / "1.sock"))
        silent.listen()
        assert answer_nearby(asked()) is None


@pytest.mark.parametrize("said", [b"", b"{}\n", b"nonsense\n", b'{"graph": 7}\n', b"[]\n"])
def test_who_asks_nothing_gets_nothing_and_is_in_nobodys_way(home: Path, said: bytes) -> None:
    with answering_commands():
        (path,) = sockets_of(home)
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(path))
            other.sendall(said)
            other.shutdown(socket.SHUT_WR)
            other.settimeout(10)
            assert b'answer"' not in other.recv(10_000)
        until(lambda: answer_nearby(asked()) is not None)  # it greets within half a second, or is left alone


def test_more_than_can_be_served_answer_by_themselves(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "AT_ONCE", 1)
    monkeypatch.setattr("khub.server.nearby.asking.GREETING_S", 10)
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_: object) -> dict[str, Any]:
        begun.set()
        go_on.wait(10)
        return {"answer": "at last"}

    monkeypatch.setattr(answering, "_answer", slow)
    with answering_commands():
        first: list[dict[str, Any] | None] = []
        thread = threading.Thread(target=lambda: first.append(answer_nearby(asked())))
        thread.start()
        assert begun.wait(10)
        assert answer_nearby(asked()) is None
        go_on.set()
        thread.join(10)
    assert first == [{"answer": "at last"}]


def test_where_there_is_no_hub_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "none"))
    with answering_commands():
        assert not (tmp_path / "none").exists()
