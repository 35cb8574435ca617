"""A program of the hub's that works beside whoever has started it, and answers in JSON when it is done."""

import json
import subprocess
import threading
from typing import Any

from khub.components.errors import KhubError
from khub.server.own_module import command_of


class Program:
    """A module of the hub that runs in a process of its own.

    :param what: it is, in messages.
    :param module: its dotted name; it writes JSON to standard output, or a reason to standard error.
    :param arguments: of the program.
    """

    def __init__(self, what: str, module: str, *arguments: str) -> None:
        self.what = what
        self._process = subprocess.Popen(
            command_of(module, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._said: tuple[bytes, bytes] | None = None
        self._thread = threading.Thread(target=self._read, name=what, daemon=True)
        self._thread.start()

    def is_over(self) -> bool:
        """Say whether it has ended."""
        return self._said is not None

    def wait(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def answer(self) -> Any:
        """Return what it has written.

        :raises KhubError: if it has not ended, or ended without an answer.
        """
        out, errors = self._said or (b"", b"it is still running")
        try:
            return json.loads(out)
        except ValueError as error:
            said = errors.decode(errors="replace").strip().splitlines()
            reason = said[-1] if said else f"exit code {self._process.returncode}"
            raise KhubError(
                f"the {self.what} failed ({reason})", "look at the log of the hub", code="program_failed"
            ) from error

    def _read(self) -> None:
        self._said = self._process.communicate()
