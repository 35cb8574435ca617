"""The script that Streamlit runs: where the pages are, in which language, and who looks at them."""

import streamlit as st

from khub.components.errors import KhubError
from khub.dashboard.language import KEPT, language, t
from khub.dashboard.page import SIGN_IN, show_way_out
from khub.dashboard.visitor import Admission, visitor
from khub.server.http.tokens import Access
from khub.server.http.visitors import Visitors


def _pages() -> list[st.Page]:
    return [
        st.Page("pages/ask.py", title=t("Ask", "提问"), default=True),
        st.Page("pages/overview.py", title=t("Overview", "总览")),
        st.Page("pages/documents.py", title=t("Documents", "文档")),
        st.Page("pages/ingestion.py", title=t("Ingestion", "导入")),
        st.Page("pages/ingestion_runs.py", title=t("Ingestion traces", "导入记录")),
        st.Page("pages/query_runs.py", title=t("Query traces", "提问记录")),
        st.Page("pages/evaluation.py", title=t("Evaluation", "评测")),
    ]


def _language_box() -> None:
    if asked := st.query_params.get("lang"):  # a link to another page does not carry it on
        st.session_state.setdefault(KEPT, asked)
    names = {"en": "English", "zh": "中文"}
    index = list(names).index(language())
    with st.sidebar:
        chosen = st.selectbox("Language · 语言", list(names), index=index, format_func=names.__getitem__, key="box")
    if chosen != language():
        st.session_state[KEPT] = chosen
        st.rerun()


def _who() -> None:
    """Show who is signed in; nothing where nobody has to be."""
    try:
        access, who = visitor()
    except KhubError:
        return  # the page says it
    if Admission.visitors is None or access is Access.NOTHING:
        return
    if not who.name:
        if access is Access.READ:
            _tell_how_to_write(Admission.visitors)
        return
    with st.sidebar:
        reads = t("may read", "只读") if access is Access.READ else t("may write", "可写")
        st.caption(f"{who.name.partition('.')[0]} · {reads}")
        if Admission.visitors.user_header is None:
            show_way_out("logout", t("Sign out", "退出登录"))


def _tell_how_to_write(visitors: Visitors) -> None:
    with st.sidebar:
        if visitors.owner is not None:
            st.caption(
                t(
                    "You may only read: the address that khub dashboard printed lets you change things.",
                    "当前只读：用 khub dashboard 启动时显示的地址打开，即可修改。",
                )
            )
        elif visitors.user_header is None and visitors.tokens.let_write():
            show_way_out(SIGN_IN, t("Sign in", "登录"))


_language_box()
_who()
st.navigation(_pages()).run()
