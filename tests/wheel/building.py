"""Building the package, and looking into what came."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Built:
    """What `python -m build` has made.

    :param wheel: out of the sdist, as `python -m build` makes it without options.
    :param of_checkout: names of the files in a wheel that is made of the checkout itself.
    """

    wheel: Path
    of_checkout: frozenset[str]

    def names(self) -> frozenset[str]:
        return files_in(self.wheel)

    def read(self, name: str) -> bytes:
        with ZipFile(self.wheel) as archive:
            return archive.read(next(one for one in archive.namelist() if one.endswith(name)))


def build(*options: str | Path, source: Path = ROOT) -> None:
    command = [sys.executable, "-m", "build", *options, source]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def wheel_in(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def files_in(wheel: Path) -> frozenset[str]:
    with ZipFile(wheel) as archive:
        return frozenset(name for name in archive.namelist() if not name.endswith("/"))
