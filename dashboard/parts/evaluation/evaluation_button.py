"""The button that starts an evaluation, for who may write."""

from collections.abc import Sequence

import streamlit as st

from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.visitor import may_write
from khub.eval.background.task import start


def offer_start(label: str, able: bool, program: str, words: Sequence[str]) -> None:
    """Show it; it starts a program in the background.

    :param able: whether all is chosen that it needs.
    """
    reason = None if may_write() else t("You may read, but not write.", "您只有读取权限。")
    able = able and may_write()
    if st.button(label, disabled=not able, help=reason) and able:
        with noted("POST", "/evaluation/tasks"):
            start(program, list(words))
        st.rerun()
