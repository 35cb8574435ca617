"""Virtual environments of other clients, whose packages go together neither with the hub's nor with each other."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from filelock import FileLock

REQUIREMENTS = Path(__file__).parent / "requirements"
INSTALL_S = 900
DONE = "installed"


class NotInstalledError(Exception):
    """The packages cannot be had: what needs them is skipped, and says why."""


def python_of(family: str, cache: Path) -> Path:
    """Return the Python of a family's environment; makes it the first time, in one process of several.

    :param family: name of a file of pinned packages in `requirements/`.
    :param cache: folder of the environments; they are kept until the pins or this Python change.
    :raises NotInstalledError: if pip cannot install them.
    """
    pins = REQUIREMENTS / f"{family}.txt"
    seal = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = cache / f"{family}-{seal}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / DONE).exists():
            _install(folder, python, pins)
    return python


def _install(folder: Path, python: Path, pins: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", str(pins)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"pip could not install {pins.name} in {INSTALL_S} s") from None
    if done.returncode:
        raise NotInstalledError(f"pip could not install {pins.name}: {' '.join(done.stderr.split())[-300:]}")
    (folder / DONE).touch()
