"""Numbers for the spellings of a path under which an embedded store is open in this process.

Chroma hands the same client to everyone who names the same path string. A reader needs a new client while its old one
is still in use, and a writer must never be given a reader's: each takes a number (see `StoreTemplate.build`).
"""

import threading

_taken: dict[str, set[int]] = {}
_lock = threading.Lock()


def take_spelling(physical: str) -> int:
    """Return the smallest number under which nobody in this process has the physical index open."""
    with _lock:
        taken = _taken.setdefault(physical, set())
        number = next(n for n in range(len(taken) + 1) if n not in taken)
        taken.add(number)
        return number


def give_back_spelling(physical: str, number: int) -> None:
    """Let a number be used again, once the client behind it is closed."""
    with _lock:
        taken = _taken.get(physical, set())
        taken.discard(number)
        if not taken:
            _taken.pop(physical, None)
