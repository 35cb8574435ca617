"""A document's title, what it is, what is wrong with it, and where one goes from it."""

from pathlib import Path

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.components.text.file_size import file_size
from khub.dashboard.language import caption, t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.documents.document_edit import show_changes, show_edited
from khub.dashboard.parts.file_facts import day, language_name
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.player import show_player
from khub.dashboard.plain_text import plain, shortened
from khub.server.reads.hub_reads import reader, title_of, user_metadata
from khub.server.reads.left_out import LeftOut, left_out
from khub.server.reads.original_file import original_of

AT_ONCE_BYTES = 4_000_000
"""A larger file is read only when somebody wants it."""
NAMED_PAGES = 30
SUMMARY_CHARACTERS = 240
"""All of a summary stands with the details."""


def show_head(row: DocumentRow) -> None:
    """Show what stands over every view of a document.

    :param row: of the document, from the catalog.
    """
    link_to("documents", t("← Documents of ", "← 文档集：") + plain(row["collection"]), collection=row["collection"])
    st.title(plain(title_of(row)), anchor=False)
    show_edited()
    st.caption(" · ".join(plain(fact) for fact in _facts(row)))
    if summary := str(user_metadata(row).get("summary") or ""):
        st.text(shortened(summary, SUMMARY_CHARACTERS))
    _show_problems(row)
    show_player(row, st.query_params.get("time"))
    with st.container(horizontal=True, vertical_alignment="center"):
        address = {"q": _question(row), "collection": row["collection"]}
        link_to("ask", t("Ask about this document", "就此文档提问"), **address)
        show_changes(row)
        _show_original(row)


def _facts(row: DocumentRow) -> list[str]:
    facts = [row["doc_type"] or "", language_name(row["language"]) if row["language"] else ""]
    if row["pages"]:
        facts.append(t(counted(row["pages"], "page", "pages"), f"{row['pages']:,} 页"))
    facts.append(t(counted(row["chunks"], "passage", "passages"), f"{row['chunks']:,} 个段落"))
    facts.append(file_size(row["size"]) if row["size"] else "")
    if read := row["ingested_at"]:
        facts.append(t(f"read {day(read)}", f"导入于 {day(read)}"))
    if row["status"] == "failed":
        facts.append(t("failed", "失败"))
    return [fact for fact in facts if fact]


def _question(row: DocumentRow) -> str:
    """Return a question that is asked of this file alone, in the short form of filters."""
    name = row["source"].replace("\\", "/").rpartition("/")[2]
    asked = t("What is it about?", "主要讲什么？")
    return asked if not name or '"' in name else f'{asked} path:"{name}"'


def _show_problems(row: DocumentRow) -> None:
    if row["error"]:
        before = t("The last attempt to read it failed: ", "最近一次读取失败：") if row["chunks"] else ""
        st.error(before + plain(row["error"]) + (f" → {plain(row['remedy'])}" if row["remedy"] else ""))
        link_to("ingestion", t("Ingest it again", "重新导入"))
    if missing := left_out(row):
        with st.expander(t("What is missing of it", "未收录的内容")):
            _show_missing(missing)


def _show_missing(missing: LeftOut) -> None:
    for kind, pages in missing.pages.items():
        named = ", ".join(map(str, pages[:NAMED_PAGES])) + (" …" if len(pages) > NAMED_PAGES else "")
        st.markdown(f"- {_kind(kind)} {plain(named)}")
    for reason in missing.reasons:
        st.markdown(f"- {plain(reason)}")
    for stage, reason, count in missing.stages:
        passages = t(counted(count, "passage", "passages"), f"{count:,} 个段落")
        left = t("done by a simpler stage instead of", "已由更简单的处理替代：")
        st.markdown(f"- {passages} {left} {plain(stage)}: {plain(reason)}")


def _kind(kind: str) -> str:
    return {
        "needs_ocr": t("Pages that wait for OCR (text is only in their picture):", "等待 OCR 的页（文字只在图像中）："),
        "garbled_pages": t("Pages whose fonts do not say what they mean:", "字体编码无法还原文字的页："),
        "damaged_pages": t("Pages that cannot be read:", "无法读取的页："),
        "empty_pages": t("Pages without text:", "没有文字的页："),
    }[kind]


def _show_original(row: DocumentRow) -> None:
    if not row["sha256"] or not reader().document_is_opened(row["doc_id"]):
        return
    path = original_of(row)
    if path is None:
        caption(
            "The original file is gone or has changed; its text is here.", "原文件已丢失或已改动，此处为已读取的文本。"
        )
        return
    size = path.stat().st_size
    label = t(f"Original file ({file_size(size)})", f"原文件（{file_size(size)}）")
    if size <= AT_ONCE_BYTES or st.button(label):
        _download(path, row, t("Save ", "保存") if size > AT_ONCE_BYTES else "", label)


def _download(path: Path, row: DocumentRow, verb: str, label: str) -> None:
    name = row["source"].replace("\\", "/").rpartition("/")[2] or "document"
    st.download_button(
        verb + plain(label),
        path.read_bytes(),
        file_name=name,
        mime="application/octet-stream",
        on_click="ignore",
        key="original",
    )
