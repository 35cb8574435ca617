"""What a converter leaves out on purpose: no catalog keeps it, so the file is read once more for who asks."""

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import caption, t
from khub.dashboard.parts.background import wait_for
from khub.dashboard.plain_text import plain
from khub.server.library.program import Program
from khub.server.reads.hub_reads import reader
from khub.server.reads.original_file import original_of

KEPT = "left on purpose"


def show_left_on_purpose(row: DocumentRow) -> None:
    """Show a button, and what is left out when the file has been read; nothing where its reader may not have the file.

    :param row: of the document, from the catalog.
    """
    path = original_of(row) if row["chunks"] and reader().document_is_opened(row["doc_id"]) else None
    if path is None:
        return
    st.subheader(t("Left out on purpose", "有意略去的内容"), anchor=False)
    caption("Page headers, numbers, quoted mail, hidden characters …", "页眉页脚、页码、引用的邮件、隐藏字符等")
    kept: tuple[str, Program] | None = st.session_state.get(KEPT)
    program = kept[1] if kept is not None and kept[0] == row["doc_id"] else None
    busy = program is not None and not program.is_over()
    if st.button(t("Read the file once more to see it", "重新读取文件以查看"), disabled=busy):
        st.session_state[KEPT] = row["doc_id"], Program("reading", "khub.server.library.left_out_process", str(path))
        st.rerun()
    if program is not None and busy:
        wait_for(program.is_over, t("Reading …", "读取中……"))
    elif program is not None:
        _show(program.answer())


def _show(removed: dict[str, int]) -> None:
    for what, count in removed.items():
        st.markdown(f"- {count:,} {plain(what)}")
    if not removed:
        caption("Nothing is left out.", "没有略去任何内容。")
