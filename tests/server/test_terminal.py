import json
import threading
import time

import pytest

from khub.components.text.hidden_characters import for_terminal, on_one_line
from khub.server.commands.progress import duration, progress, state
from khub.server.terminal import count, tell, write_json, write_table

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202egpj", "\\u202egpj"),
        ("报告 2026\u3000终.pdf", "报告 2026\u3000终.pdf"),
        ("\udcff", "\\udcff"),
    ],
)
def test_what_steers_a_terminal_is_shown_escaped(text, shown):
    assert on_one_line(text) == shown


def test_texts_keep_their_lines_alone():
    assert for_terminal("a\n\tb\x1b[2J\x9b") == "a\n\tb\ufffd[2J\ufffd"


def test_tell_writes_one_line_on_standard_error(capsys):
    tell("a\nb", "", "c")
    assert capsys.readouterr() == ("", "khub: a\\nb: c\n")


def test_json_keeps_what_is_not_ascii(capsys):
    write_json({"a": "报告", "b": 1.5})
    text = capsys.readouterr().out
    assert "报告" in text
    assert json.loads(text) == {"a": "报告", "b": 1.5}


def test_a_table_in_a_pipe_is_tab_separated(capsys):
    write_table(("name", "n"), [("a\tb", 1), (None, 2)])
    assert capsys.readouterr().out == "name\tn\na\\tb\t1\n\t2\n"


def test_a_table_on_a_terminal_is_aligned(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    write_table(("name", "n"), [("[red]a", 1), ("bb", 22)], right=("n",))
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "name     n",
        "[red]a   1",
        "bb      22",
    ]


@pytest.mark.parametrize(("number", "text"), [(0, "0 files"), (1, "1 file"), (1234, "1,234 files")])
def test_count(number, text):
    assert count(number, "file") == text
    assert count(number, "entry", "entries").endswith("entry" if number == 1 else "entries")


def test_state_tells_speed_and_time_left_once_they_are_known():
    assert state(0, 200, "files", 3.0) == "0/200 files"
    assert state(50, 200, "files", 10.0, "1 failed") == "50/200 files, 5.0 files/s, 30 s left, 1 failed"
    assert state(200, 200, "files", 10.0) == "200/200 files, 20.0 files/s"
    assert state(1, 200, "files", 50.0).startswith("1/200 files, 0.02 files/s, ")


def test_what_took_no_time_says_nothing_of_speed():
    assert state(150, 200, "files", 10.0, before=100) == "150/200 files, 5.0 files/s, 10 s left"
    assert state(100, 200, "files", 10.0, before=100) == "100/200 files"


def test_the_time_left_goes_by_the_work_where_it_is_known():
    assert state(50, 200, "files", 10.0, share=0.5) == "50/200 files, 5.0 files/s, 10 s left"
    assert state(50, 200, "files", 10.0, share=0.0) == "50/200 files, 5.0 files/s"


def test_in_a_pipe_something_is_said_soon_and_again_while_one_thing_takes_long(capsys, monkeypatch):
    monkeypatch.setattr("khub.server.commands.progress.FIRST_S", 0.01)
    monkeypatch.setattr("khub.server.commands.progress.SILENT_S", 0.02)
    said = ""

    def wait_for(text, times):
        nonlocal said
        deadline = time.monotonic() + 10
        while said.count(text) < times:
            assert time.monotonic() < deadline, said
            said += capsys.readouterr().err

    with progress("ingest", "files") as report:
        wait_for("ingest is under way, ", 2)
        report(0, 2, "at scan.pdf")
        wait_for("ingest 0/2 files, at scan.pdf, ", 2)
    deadline = time.monotonic() + 10
    while any(thread.name == "progress" for thread in threading.enumerate()):  # nothing comes any more
        assert time.monotonic() < deadline


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")])
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_progress_in_a_pipe_is_a_line_now_and_then(capsys):
    with progress("ingest", "files") as report:
        report(0, 3)
        for done in (1, 2, 3):
            report(done, 3, "5 chunks")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["ingest 1/3 files", "ingest 3/3 files"]
    assert lines[1].endswith("5 chunks")
