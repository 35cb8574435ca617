"""Commands of the evaluation that the pages start: each in a process of its own, which ends with the service."""

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import portalocker

from khub.components.catalog.access import caller
from khub.components.errors import FileError, KhubError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone, private_folder
from khub.eval.background.task_about import TaskAbout
from khub.eval.run.files import write_file
from khub.server.own_module import command_of

KHUB, GATE = "khub", "gate"
RUNNING, FINISHED, FAILED, CANCELLED, INTERRUPTED = "running", "finished", "failed", "cancelled", "interrupted"
KEPT = 20
STARTING_S = 30.0
"""So long after its start a process may not have come to take the lock."""
TABLE = "gate.md"
COUNTED = re.compile(r"(?P<what>.*) (?P<done>[\d,]+)/(?P<total>[\d,]+) \S")
_started: dict[str, "subprocess.Popen[bytes]"] = {}
"""The processes of this one, by task: whoever forgets one ends it."""


@dataclass(frozen=True)
class Task:
    """A command that was started.

    :param folder: holds what is known of it; its name is the task's id.
    """

    folder: Path

    @property
    def task_id(self) -> str:
        """Names the task."""
        return self.folder.name

    @property
    def log(self) -> Path:
        """The file with all that the command writes."""
        return self.folder / "log.txt"

    @property
    def table(self) -> Path:
        """The file for the table of a gate."""
        return self.folder / TABLE

    def about(self) -> TaskAbout:
        """Return `{program, words, started, caller}`.

        :raises KhubError: when it cannot be read.
        """
        return cast(TaskAbout, _read(self.folder / "task.json"))

    def command_line(self) -> str:
        """Return the command line that does the same at a terminal."""
        about = self.about()
        program = ["khub"] if about["program"] == KHUB else ["python", "-m", "khub.eval.gate"]
        return shlex.join([*program, *about["words"]])

    def state(self) -> str:
        """Return `running`, `finished`, `failed`, `cancelled` or `interrupted`: its process has gone with no word."""
        if (self.folder / "ended.json").is_file():
            return FINISHED if _read(self.folder / "ended.json")["status"] == 0 else FAILED
        if self._lives():
            return RUNNING
        if (self.folder / "ended.json").is_file():  # it has just ended
            return self.state()
        return CANCELLED if self.is_cancelled() else INTERRUPTED

    def cancel(self) -> None:
        """Let it end; what it has done stays, and the same command goes on with it."""
        write_file(self.folder / "cancelled", "")

    def is_cancelled(self) -> bool:
        """Say whether somebody wants it to end."""
        return (self.folder / "cancelled").is_file()

    def end(self, status: int) -> None:
        """Write down that it has ended by itself."""
        write_file(self.folder / "ended.json", json.dumps({"status": status, "at": _now()}))

    def said(self, lines: int) -> list[str]:
        """Return the last lines of what it wrote."""
        if not self.log.is_file():
            return []
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return [line for line in text.splitlines() if line.strip()][-lines:]

    def progress(self) -> tuple[str, int, int] | None:
        """Return what it does, how many things are done, and of how many; None where it has not said so yet."""
        for line in reversed(self.said(20)):
            if found := COUNTED.match(line):
                done, total = (int(found[key].replace(",", "")) for key in ("done", "total"))
                return found["what"], done, total
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold its lock, as its process does as long as it lives.

        :raises portalocker.exceptions.LockException: if another process holds it.
        """
        flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
        with portalocker.Lock(self.folder / "lock", "a", timeout=5, flags=flags, opener=owners_alone):
            yield

    def _lives(self) -> bool:
        process = _started.get(self.task_id)
        if process is not None:
            if process.poll() is None:
                return True
            _forget(self.task_id)
            (self.folder / "began").touch()  # nobody need wait for it any more
            return False
        flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
        try:
            with portalocker.Lock(self.folder / "lock", "a", timeout=0, flags=flags, opener=owners_alone):
                age = datetime.now(UTC) - datetime.fromisoformat(self.about()["started"])
                return not (self.folder / "began").is_file() and age.total_seconds() < STARTING_S
        except portalocker.exceptions.LockException:
            return True


def start(program: str, words: Sequence[str]) -> Task:
    """Start a command.

    :param program: `KHUB`, with the words behind `khub`; or `GATE`, with those behind `python -m khub.eval.gate`.
    :raises KhubError: if one runs already: the two would slow each other down, and latencies would be of both.
    """
    earlier = tasks()
    if any(task.state() == RUNNING for task in earlier):
        raise KhubError("an evaluation is running already", "wait until it has ended, or cancel it", code="too_busy")
    for old in earlier[KEPT - 1 :]:
        shutil.rmtree(old.folder, ignore_errors=True)
    folder = _tasks() / f"{datetime.now(UTC).strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
    private_folder(folder)
    task = Task(folder)
    about = {"program": program, "words": list(words), "started": _now(), "caller": caller().name}
    write_file(folder / "task.json", json.dumps(about, ensure_ascii=False))
    with open(task.log, "ab", opener=owners_alone) as log:
        _started[task.task_id] = subprocess.Popen(
            command_of("khub.eval.background.process", str(folder)),
            stdin=subprocess.PIPE,  # its end tells the child that this process is gone
            stdout=log,
            stderr=log,
            start_new_session=os.name != "nt",
        )
    return task


def tasks() -> list[Task]:
    """Return the tasks that are kept, the newest first."""
    return [Task(path.parent) for path in sorted(_tasks().glob("*/task.json"), reverse=True)]


def _tasks() -> Path:
    return hub_home() / "eval" / "tasks"


def _forget(task_id: str) -> None:
    process = _started.pop(task_id)
    if process.stdin is not None:
        process.stdin.close()


def _read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{file} cannot be read: {error}", f"delete {file.parent}") from error
    return found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
