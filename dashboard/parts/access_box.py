"""The choice of access levels."""

import streamlit as st

from khub.components.catalog.access import access_levels
from khub.dashboard.language import t


def choose_levels(levels: list[str], key: str = "levels") -> list[str]:
    """Let the visitor choose the levels that open documents: whom levels restrict among its own and these.

    :param levels: that they have.
    """
    own = access_levels()
    return st.multiselect(
        t("Access levels: one of them opens it", "访问级别（具备其一即可查看）"),
        list(dict.fromkeys([*levels, *map(str, own or ())])),
        levels,
        accept_new_options=own is None,
        placeholder=t("Choose or type", "选择或输入") if own is None else t("Choose", "选择"),
        key=key,
        help=t("None: open to who has no levels set.", "留空：仅对未设级别限制的访问者开放。"),
    )
