"""A choice that the address names, in a list."""

from collections.abc import Callable

import streamlit as st

from khub.dashboard.parts.address import put, take


def choose(parameter: str, label: str, options: list[str], otherwise: str, shown: Callable[[str], str]) -> str:
    """Let the visitor choose one of the options, and return it.

    :param parameter: of the address.
    :param otherwise: the one that is chosen where the address names none.
    :param shown: gives what an option is called.
    """
    take(parameter, options, otherwise)
    chosen = st.selectbox(label, options, format_func=shown, key=parameter)
    put(parameter, chosen, otherwise)
    return chosen


def typed(parameter: str, label: str, most: int = 500) -> str:
    """Let the visitor type a text that the address keeps, and return it.

    :param parameter: of the address.
    :param most: characters.
    """
    take(parameter, None, "")
    text = st.text_input(label, key=parameter, max_chars=most).strip()
    put(parameter, text, "")
    return text


def page_number(wanted: object) -> int:
    """Return which page of a list is shown; the first where something else is wanted than before.

    :param wanted: what the list is asked for.
    """
    take("at", None, 1)
    key = type(wanted).__name__
    before, st.session_state[key] = st.session_state.get(key), wanted
    if before is not None and before != wanted:
        st.session_state["at"] = 1
    number = str(st.session_state["at"])
    st.session_state["at"] = int(number) if number.isdecimal() and 0 < int(number) < 1_000_000 else 1
    return int(st.session_state["at"])
