"""Wait for what another process or thread brings about."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 120.0


def until(what: Callable[[], Any], told: Callable[[], Any] = list) -> Any:
    """Wait until something is true; return it.

    :param told: what is said where it never is.
    """
    end = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < end, told()
        time.sleep(0.1)
    return found
