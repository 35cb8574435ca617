"""The doctor in a process of its own: it compares whole indexes, and native code opens what may be damaged."""

import json
import subprocess
import threading
from typing import Any

from components.errors import KhubError
from server.library.examination_process import REPAIR
from server.own_module import command_of


class Examination:
    """The doctor over all collections, beside whoever has asked for it.

    :param repair: whether what is wrong is rebuilt.
    """

    def __init__(self, repair: bool = False) -> None:
        self.repair = repair
        self._process = subprocess.Popen(
            command_of("server.library.examination_process", *([REPAIR] if repair else [])),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._said: tuple[bytes, bytes] | None = None
        self._thread = threading.Thread(target=self._read, name="doctor", daemon=True)
        self._thread.start()

    def is_over(self) -> bool:
        """Say whether it has ended."""
        return self._said is not None

    def wait(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def findings(self) -> list[dict[str, Any]]:
        """Return what was found in each collection: `collection`, `healthy`, `problems`, `notes`, `repaired`.

        :raises KhubError: if it has not ended, or ended without an answer.
        """
        out, errors = self._said or (b"", b"it is still running")
        try:
            found: list[dict[str, Any]] = json.loads(out)
        except ValueError as error:
            said = errors.decode(errors="replace").strip().splitlines()
            reason = said[-1] if said else f"exit code {self._process.returncode}"
            raise KhubError(f"the examination failed ({reason})", "look at the log of the hub") from error
        return found

    def _read(self) -> None:
        self._said = self._process.communicate()
