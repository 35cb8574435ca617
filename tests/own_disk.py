"""Several machines on one: each process sees its own disk at the same path."""

import subprocess
from collections.abc import Sequence
from pathlib import Path


def disks_can_be_bound() -> bool:
    """Say whether a process can be given a disk of its own at a path."""
    try:
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0
    except OSError:  # there is no such program
        return False


def with_disk(disk: Path, place: Path, command: Sequence[str]) -> list[str]:
    """Return a command that runs another one, which sees a folder of its own at a place.

    :param disk: the folder; it is made.
    :param place: a folder that is there.
    """
    disk.mkdir(exist_ok=True)
    seen_alone = 'mount --bind "$0" "$1" && shift && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", seen_alone, str(disk), str(place), *command]
