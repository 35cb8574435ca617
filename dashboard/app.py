"""The script that Streamlit runs: where the pages are, in which language, and who looks at them."""

import streamlit as st

from khub.components.errors import KhubError
from khub.dashboard.language import KEPT, caption, language, t
from khub.dashboard.page import LOGO, MARK, SIGN_IN, show_way_out
from khub.dashboard.parts.ingestion.way_in import show_way_in
from khub.dashboard.visitor import Admission, visitor
from khub.server.access_right import Access
from khub.server.http.tokens import READ_TOKEN, WRITE_TOKEN
from khub.server.http.visitors import Visitors


def _pages() -> dict[str, st.Page]:
    """Return the pages by their icons: a page's own icon would be the browser's for it, fetched from elsewhere."""
    return {
        "search": st.Page("pages/ask.py", title=t("Ask", "提问"), default=True),
        "description": st.Page("pages/documents.py", title=t("Documents", "文档")),
        "upload_file": st.Page("pages/ingestion.py", title=t("Ingestion", "导入")),
        "manage_search": st.Page("pages/query_runs.py", title=t("Query traces", "提问记录")),
        "account_tree": st.Page("pages/ingestion_runs.py", title=t("Ingestion traces", "导入记录")),
        "rule": st.Page("pages/evaluation.py", title=t("Evaluation", "评测")),
        "monitor_heart": st.Page("pages/overview.py", title=t("Overview", "总览")),
    }


def _menu(pages: dict[str, st.Page]) -> None:
    with st.sidebar.container(gap="xxsmall"):
        for icon, page in pages.items():
            st.page_link(page, icon=f":material/{icon}:")


def _language_box() -> None:
    if asked := st.query_params.get("lang"):  # a link to another page does not carry it on
        st.session_state.setdefault(KEPT, asked)
    names = {"en": "English", "zh": "中文"}
    index = list(names).index(language())
    chosen = st.sidebar.selectbox("Language · 语言", list(names), index=index, format_func=names.__getitem__, key="box")
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
        shared = t("Shared token", "共享令牌") if who.name in {READ_TOKEN, WRITE_TOKEN} else ""
        st.caption(f"{shared or who.name.rpartition('.')[0] or who.name} · {reads}")
        if Admission.visitors.user_header is None:
            show_way_out("logout", t("Sign out", "退出登录"))


def _tell_how_to_write(visitors: Visitors) -> None:
    with st.sidebar:
        if visitors.owner is not None:
            caption(
                "You may only read: the address that khub dashboard printed lets you change things.",
                "当前只读：用 khub dashboard 启动时显示的地址打开，即可修改。",
            )
        elif visitors.user_header is None and visitors.tokens.let_write():
            show_way_out(SIGN_IN, t("Sign in", "登录"))


st.logo(LOGO, size="large", icon_image=MARK)
pages = _pages()
chosen = st.navigation([*pages.values()], position="hidden")
_menu(pages)
_language_box()
_who()
show_way_in()
chosen.run()
