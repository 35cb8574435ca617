"""A choice that the address names, in a list."""

from collections.abc import Callable, Collection
from typing import Literal, TypeVar

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.address import put, take
from khub.dashboard.parts.table import sort_asked

Order = TypeVar("Order", bound=str)
Shown = Callable[[str], str]
Width = int | Literal["stretch"]


def choose(
    parameter: str, label: str, options: list[str], otherwise: str, shown: Shown = str, width: Width = "stretch"
) -> str:
    """Let the visitor choose one of the options, and return it.

    :param parameter: of the address.
    :param otherwise: the one that is chosen where the address names none.
    :param shown: gives what an option is called; one without a name is called any.
    """
    take(parameter, options, otherwise)
    name = t("any", "全部")
    chosen = st.selectbox(label, options, format_func=lambda one: shown(one) or name, key=parameter, width=width)
    put(parameter, chosen, otherwise)
    return chosen


def typed(parameter: str, label: str, most: int = 500, width: Width = "stretch") -> str:
    """Let the visitor type a text that the address keeps, and return it.

    :param parameter: of the address.
    :param most: characters.
    """
    take(parameter, None, "")
    text = st.text_input(label, key=parameter, max_chars=most, width=width).strip()
    put(parameter, text, "")
    return text


def chosen_order(table: str, orders: Collection[Order], otherwise: Order) -> Order:
    """Return the order of a table: that of the head that was just clicked, else the one that the address keeps.

    :param table: its key.
    """
    take("sort", orders, otherwise)
    if (asked := sort_asked(table)) in orders:
        st.session_state["sort"] = asked
    put("sort", st.session_state["sort"], otherwise)
    chosen: Order = st.session_state["sort"]
    return chosen


def page_number(wanted: object) -> int:
    """Return which page of a list is shown; the first where something else is wanted than before by the same address.

    :param wanted: what the list is asked for.
    """
    taken = take("at", None, 1)
    key = type(wanted).__name__
    before, st.session_state[key] = st.session_state.get(key), wanted
    if not taken and before is not None and before != wanted:
        st.session_state["at"] = 1
    number = str(st.session_state["at"])
    st.session_state["at"] = int(number) if number.isdecimal() and 0 < int(number) < 1_000_000 else 1
    return int(st.session_state["at"])
