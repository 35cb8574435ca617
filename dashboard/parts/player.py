"""A recording that is played from the moment at which something is said."""

from pathlib import Path

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.components.converters.file_types import SOUND_TYPES
from khub.components.text.file_size import file_size
from khub.components.text.time_marks import is_time_mark, seconds_of, time_mark
from khub.dashboard.language import t
from khub.server.reads.hub_reads import reader
from khub.server.reads.original_file import original_of

MOST_BYTES = 300_000_000
"""A larger file is not played: the page would hold all of it in memory."""
_FORMATS = {
    ".mp3": "audio/mpeg", ".wav": "audio/wav", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".flac": "audio/flac",
    ".mp4": "video/mp4", ".mkv": "video/x-matroska", ".webm": "video/webm",
}  # fmt: skip


def show_player(row: DocumentRow, time: str | None) -> None:
    """Show a player that starts at a time; nothing of a document that is no recording, or not opened to the visitor.

    :param row: of the document, from the catalog.
    :param time: as `time_mark` writes it; None for the beginning.
    """
    if row["doc_type"] not in SOUND_TYPES.values() or not row["chunks"]:
        return
    path = original_of(row) if reader().document_is_opened(row["doc_id"]) else None
    if path is None:
        return
    if (size := path.stat().st_size) > MOST_BYTES:
        large = t("It is too large to be played here", "文件过大，无法在此播放")
        st.caption(f"{large} ({file_size(size)})")
        return
    start = seconds_of(time) if time and is_time_mark(time) else 0
    kind = _FORMATS[Path(row["source"]).suffix.lower()]
    st.caption(t(f"From [{time_mark(start)}] on", f"从 [{time_mark(start)}] 开始播放"))
    (st.video if kind.startswith("video") else st.audio)(str(path), format=kind, start_time=start)
