"""Threads that wait for further work once theirs is done, so that a short piece of it need not start one."""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

IDLE = "idle"
"""Name of a thread that waits."""

Work = tuple[Callable[[], object], str]
_Inbox = SimpleQueue[Work]


class IdleThreads:
    """Daemon threads, as many as there is work at the same time, and some that wait for further work.

    No work waits for other work, however long that takes: a thread is idle only once its own has ended.

    :param idle_s: seconds after which a thread without work ends.
    :param most_idle: so many wait at most: a burst of work leaves no more behind.
    """

    def __init__(self, idle_s: float = 30.0, most_idle: int = 16) -> None:
        self._idle_s = idle_s
        self._most_idle = most_idle
        self.forget()

    def start(self, call: Callable[[], object], name: str) -> None:
        """Call something in the thread that has become idle last, or else in a new one.

        :param call: called without the caller's context variables; an exception ends the thread.
        :param name: of the thread meanwhile.
        :raises RuntimeError: when the system has no thread left.
        """
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), daemon=True, name=name).start()
        inbox.put((call, name))

    def forget(self) -> None:
        """Start anew, in a forked process, which has none of its parent's threads."""
        self._lock = threading.Lock()
        self._idle: list[_Inbox] = []

    def _serve(self, inbox: _Inbox) -> None:
        _do(inbox.get())
        while self._do_further(inbox):
            pass

    def _do_further(self, inbox: _Inbox) -> bool:
        work = self._further(inbox)
        if work is not None:
            _do(work)
        return work is not None

    def _further(self, inbox: _Inbox) -> Work | None:
        """Return what is to be done next; None where nothing has come for long, or enough other threads wait."""
        threading.current_thread().name = IDLE
        with self._lock:
            if len(self._idle) >= self._most_idle:
                return None
            self._idle.append(inbox)
        try:
            return inbox.get(timeout=self._idle_s)
        except Empty:
            return None if self._withdrawn(inbox) else inbox.get()  # it was given some just now

    def _withdrawn(self, inbox: _Inbox) -> bool:
        with self._lock:
            if inbox not in self._idle:
                return False
            self._idle.remove(inbox)
            return True


def _do(work: Work) -> None:
    call, threading.current_thread().name = work
    call()


SHARED = IdleThreads()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=SHARED.forget)
