"""Documents: the collections, what is in them, and all that is known of one document."""

import streamlit as st

from khub.dashboard.language import t, warning
from khub.dashboard.page import open_page
from khub.dashboard.parts.address import show_address
from khub.dashboard.parts.documents.document import show_document
from khub.dashboard.parts.documents.document_list import show_list
from khub.dashboard.parts.link import link_to
from khub.server.reads.hub_reads import NotThereError, document_of


def _show() -> None:
    show_address()
    doc_id = st.query_params.get("doc")
    if not doc_id:
        show_list()
        return
    try:
        row = document_of(doc_id)
    except NotThereError:
        st.title(t("No document", "没有文档"), anchor=False)
        warning("There is no such document (any more), or it is not open to you.", "没有这份文档，或您无权查看。")
        link_to("documents", t("All documents", "全部文档"))
        return
    show_document(row)


open_page(t("Documents", "文档"), _show, heading="")
