"""Links between a mail and the files attached to it."""

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import caption, t
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import title_of
from khub.server.reads.mail_parts import attached_to, mail_around

MOST_LINKS = 20


def show_mail_links(row: DocumentRow) -> None:
    """Show a link to the mail of an attached file, and to the files attached to a mail; nothing for other documents.

    :param row: of the document, from the catalog.
    """
    mail, attached = mail_around(row), attached_to(row)
    if mail is not None:
        _link(mail, t("Attached to the mail: {}", "所属邮件：{}"))
    if attached:
        st.subheader(t("Attached files", "附件"), anchor=False)
    for one in attached[:MOST_LINKS]:
        _link(one, "{}")
    if more := len(attached) - MOST_LINKS if len(attached) > MOST_LINKS else 0:
        caption(f"and {more} more", f"另有 {more} 个")


def _link(row: DocumentRow, label: str) -> None:
    name = plain(title_of(row))
    link_to("documents", label.format(name), collection=row["collection"], doc=row["doc_id"])
