"""The Python programs of the guide, and how a reader runs them."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.docs.markdown import GUIDE, ROOT, blocks

PAGE = GUIDE / "python.md"
FILES = ("ember-300-operator-manual-en.pdf", "deployment-handbook-zh.md")


def programs_with(*words: str) -> list[str]:
    """Return the programs that hold one of the words, in the order of the page."""
    return [block.text for block in blocks(PAGE, "python") if any(word in block.text for word in words)]


def make_handbooks(folder: Path) -> None:
    """Put files where the programs look for them."""
    (folder / "handbooks").mkdir()
    for name in FILES:
        (folder / "handbooks" / name).write_bytes((ROOT / "eval" / "samples" / name).read_bytes())


def run(program: str, folder: Path, python: str = sys.executable) -> str:
    """Run a program in a folder, and return what it writes.

    :param python: of an environment that has other packages than the hub's.
    """
    more = sysconfig.get_paths()["purelib"] if python != sys.executable else ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    text = f"import sys; sys.path.append({more!r})\n{program}" if more else program
    done = subprocess.run(
        [python, "-c", text],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
