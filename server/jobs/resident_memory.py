"""The memory that this process holds, without a library: none of it is a part of every system's Python."""

import os
import sys
from pathlib import Path

STATM = Path("/proc/self/statm")


def resident_mb() -> float:
    """Return the resident memory of this process in megabytes; on macOS the most that it has ever held."""
    if STATM.exists():
        return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    if sys.platform == "win32":
        return _working_set() / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # macOS counts in bytes


def _working_set() -> int:
    """Return what Windows tells of this process, in bytes."""
    import ctypes

    class Counters(ctypes.Structure):
        _fields_ = (
            ("size", ctypes.c_uint32),
            ("faults", ctypes.c_uint32),
            *((name, ctypes.c_size_t) for name in ("peak", "resident", "b", "c", "d", "e", "pages", "peak_pages")),
        )

    counters = Counters(size=ctypes.sizeof(Counters))
    library = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    library.GetCurrentProcess.restype = ctypes.c_void_p
    own = ctypes.c_void_p(library.GetCurrentProcess())
    library.K32GetProcessMemoryInfo(own, ctypes.byref(counters), counters.size)
    return int(counters.resident)
