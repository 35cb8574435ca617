"""What a change of documents needs, of one as of many: the right to it, and what becomes of their metadata."""

from collections.abc import Sequence
from typing import Any, NoReturn

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.dashboard.language import t
from khub.dashboard.parts.counted import counted
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.reads.hub_reads import document_of, require_whole

MOST_TAGS = 100
DONE = "said of changed documents"
MOST_NAMED = 10


def may_change(doc_id: str) -> DocumentRow:
    """Return a document that the visitor may change now.

    :raises KhubError: if it may not.
    """
    if not may_write():
        raise KhubError("you may only read", "ask for a token that may write", code="access_denied")
    row = document_of(doc_id)
    require_whole(doc_id)
    return row


def close(done: int, failed: list[str]) -> NoReturn:
    """Run the page again, which says then what came of the change.

    :param failed: a line for each document that could not be changed.
    """
    st.session_state[DONE] = done, [plain(line) for line in failed]
    st.rerun()


def show_done() -> None:
    """Show what came of the last change, once."""
    done, failed = st.session_state.pop(DONE, (0, []))
    if done:
        st.success(t(f"Done: {counted(done, 'document', 'documents')}.", f"已完成：{done:,} 份文档。"))
    for line in failed[:MOST_NAMED]:
        st.error(line)
    if len(failed) > MOST_NAMED:
        st.error(t(f"and {len(failed) - MOST_NAMED:,} more", f"另有 {len(failed) - MOST_NAMED:,} 份失败"))


def choose_tags(label: str, tags: list[str], chosen: Sequence[str], key: str, new: bool = True) -> list[str]:
    """Let the visitor choose among tags.

    :param new: others can be added.
    """
    hint = t("Choose or type", "选择或输入") if new else t("Choose", "选择")
    return st.multiselect(
        label, tags, chosen, accept_new_options=new, max_selections=MOST_TAGS, placeholder=hint, key=key
    )


def changed_meta(row: DocumentRow, tags: list[str] | None = None, levels: list[str] | None = None) -> dict[str, Any]:
    """Return what is new of a document's metadata, as an edit takes it.

    :param tags: all that it is to have; None where they stay.
    :param levels: as `tags`.
    """
    meta: dict[str, Any] = {}
    if tags is not None and tags != texts(row["meta"].get("tags")):
        meta["tags"] = tags or None
    if levels is not None and levels != texts(row["meta"].get(ACCESS_FIELD)):
        before = {str(level): level for level in _list(row["meta"].get(ACCESS_FIELD))}  # a level may be a number
        meta[ACCESS_FIELD] = [before.get(level, level) for level in levels] or None
    return meta


def texts(value: Any) -> list[str]:
    """Return the words of a list; a single value is taken for a list of it."""
    return [str(item) for item in _list(value)]


def _list(value: Any) -> list[Any]:
    if value in (None, ""):
        return []
    return value if isinstance(value, list) else [value]
