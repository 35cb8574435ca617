"""A program that runs the command of a task; it ends when it is cancelled, or when the process that started it ends."""

import os
import sys
import threading
import time
from pathlib import Path

from khub.components.private_files import OTHERS
from khub.eval.background.task import GATE, Task
from khub.server.jobs.job_process import end_now

LOOK_S = 0.3


def main(task: Task) -> None:
    """Run a task to its end."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    threading.Thread(target=_end_when_cancelled, args=(task,), name="cancelled", daemon=True).start()
    with task.held():
        (task.folder / "began").touch()
        about = task.about()
        task.end(_gate(task, about["words"]) if about["program"] == GATE else _khub(about["words"]))


def _khub(words: list[str]) -> int:
    from khub.server.cli import main as khub

    sys.argv = ["khub", *words]
    try:
        khub()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _gate(task: Task, words: list[str]) -> int:
    from khub.eval.gate.__main__ import main as gate

    os.environ["PYTEST_ADDOPTS"] = "--capture=no"  # else nobody sees how far it has come
    return gate([*words, "--table", str(task.table)])


def _end_with_parent() -> None:
    """End when standard input does: nobody is at its other end any more."""
    while os.read(0, 1):
        pass
    end_now()


def _end_when_cancelled(task: Task) -> None:
    while not task.is_cancelled():
        time.sleep(LOOK_S)
    end_now()


if __name__ == "__main__":
    os.umask(OTHERS)
    main(Task(Path(sys.argv[2])))
