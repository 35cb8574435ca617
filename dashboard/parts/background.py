"""Work that a page waits for without standing still: in a thread of its own, for the one who asked for it."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Any

import streamlit as st

from khub.components.catalog.access import caller, calling_as
from khub.dashboard.page import part

SOON_S = 1.0
LOOK_S = 1.0


def begin(name: str, about: Hashable, work: Callable[[], Any]) -> None:
    """Begin work; what an earlier one of this name gives is forgotten.

    :param name: under which it is kept, as long as the visit lasts.
    :param about: what it is about, and for whom: `ended` is asked for the same.
    """
    who, future = caller(), Future[Any]()

    def run() -> None:
        with calling_as(who):
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

    st.session_state[name] = (caller(), about), future
    threading.Thread(target=run, name=name, daemon=True).start()


def ended(name: str, about: Hashable, waiting: str) -> Any:
    """Return what work gave; None where none was begun about the same, or it goes on: then the page says so.

    :param waiting: what the page says.
    :raises KhubError: as the work did.
    """
    begun, future = st.session_state.get(name, (None, None))
    if begun != (caller(), about):
        return None
    wait([future], timeout=SOON_S)
    if future.done():
        return future.result()
    wait_for(future.done, waiting)
    return None


def wait_for(is_over: Callable[[], bool], waiting: str) -> None:
    """Say what the page waits for, and run the page again when that is over."""
    part(_wait, run_every=LOOK_S)(is_over, waiting)


def _wait(is_over: Callable[[], bool], waiting: str) -> None:
    if is_over():
        st.rerun()
    st.info(waiting)
