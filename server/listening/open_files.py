"""How many files and connections the process may have open."""

import sys

ENOUGH = 8192
"""Connections take half at most; more is of no use, and a million makes some libraries slow."""


def allow_many_open_files() -> int:
    """Raise the soft limit on open files towards the hard one; return what may be open then."""
    if sys.platform == "win32":  # sockets are not counted among files there
        return ENOUGH
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # a system may allow less than its hard limit says
        return soft
    return wanted
