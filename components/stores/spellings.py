"""Numbers for the spellings of a path under which embedded stores are open in this process.

Chroma hands the same client to everyone who names the same path string. A reader needs a new client while its old one
is still in use, and a writer must never be given a reader's: each takes a number (see `StoreTemplate.build`).
"""

import threading

_taken: set[int] = set()
_lock = threading.Lock()


def take_spelling() -> int:
    """Return the smallest number that nobody in this process uses."""
    with _lock:
        number = next(n for n in range(len(_taken) + 1) if n not in _taken)
        _taken.add(number)
        return number


def give_back_spelling(number: int) -> None:
    """Let a number be used again, once the client behind it is closed."""
    with _lock:
        _taken.discard(number)
