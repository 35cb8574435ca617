"""Figures of the running process, and of many measured times."""

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

STATUS = Path("/proc/self/status")


def percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile, interpolated between the two values around it.

    :param values: at least one.
    :param percent: from 1 to 99.
    """
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def peak_mb() -> int:
    """Return the most memory that this process has held at a time, in megabytes."""
    if STATUS.exists():  # what getrusage says here begins with the memory of the process that started this one
        line = next(line for line in STATUS.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM:"))
        return round(int(line.split()[1]) * 1024 / 1e6)
    if sys.platform == "win32":
        import psutil

        return round(psutil.Process().memory_info().peak_wset / 1e6)
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)  # macOS counts in bytes


def folder_mb(folder: Path) -> float:
    """Return what the files of a folder take, in megabytes."""
    return round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6, 1)
