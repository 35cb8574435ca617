"""A user's shell: folder and variables last from one command to the next."""

import os
import subprocess
import sys
from pathlib import Path


class Shell:
    """Runs commands in bash.

    :param folder: where it starts.
    :param home: the folder that the reader knows as `/home/you`.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        programs = [str(Path(sys.executable).parent), os.environ["PATH"]]
        plain = {
            key: value for key, value in os.environ.items() if not key.startswith(("KHUB_", "COV", "PYTHON", "XDG_"))
        }
        own = {"PATH": os.pathsep.join(programs), "LC_ALL": "C", "NO_PROXY": "127.0.0.1", "HOME": str(home)}
        self.environment = {**plain, **own}

    def run(self, command: str) -> tuple[int, str]:
        """Return the exit code and all that was written, the folder shown as the reader's."""
        state = self.home / "state"
        script = f"{command}\ncode=$?\n{{ pwd; env -0; }} > '{state}'\nexit $code"
        ran = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        folder, _, variables = state.read_text(encoding="utf-8").partition("\n")
        self.folder = Path(folder)
        self.environment = dict(entry.split("=", 1) for entry in variables.split("\0") if "=" in entry)
        return ran.returncode, ran.stdout.replace(str(self.home), "/home/you")
