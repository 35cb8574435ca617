"""The files of an ingest, and what became of each."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.components.catalog.parts import shown_name
from khub.dashboard.language import t
from khub.dashboard.parts.html_table import show_table, small, strong, text
from khub.dashboard.parts.link import link_to
from khub.server.traces.outcome import file_results


def show_files(record: Mapping[str, Any], opened: bool) -> None:
    """Show each file with its result, the remedy where it failed, and the way to the documents.

    :param record: of the trace log, of kind `ingest`.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    files = file_results(record) if opened else {}
    count = int(record.get("source_count") or len(files))
    if not opened or not files:
        st.info(t(f"{count:,} files; their names are not shown.", f"共 {count:,} 个文件，不显示文件名。"))
        return
    if count > len(files):
        st.write(t(f"The first {len(files)} of {count:,} files:", f"共 {count:,} 个文件，列出前 {len(files)} 个："))
    rows = sorted(files.items(), key=lambda item: item[1]["result"] != "failed")
    show_table(
        t("Files of the ingest", "导入的文件"),
        (t("File", "文件"), t("Result", "结果"), t("Pages", "页数"), t("Passages", "段落")),
        [_row(source, about) for source, about in rows],
    )
    _show_links(record, {source: str(about["doc_id"]) for source, about in files.items() if about.get("doc_id")})


def _row(source: str, about: Mapping[str, Any]) -> tuple[str, ...]:
    result = {
        "written": t("written", "已写入"),
        "unchanged": t("unchanged", "未变化"),
        "failed": t("failed at {}", "在 {} 阶段失败").format(about.get("stage") or "?"),
        "unknown": t("not kept in the trace", "记录中未保留"),
    }[about["result"]]
    said = [str(about[name]) for name in ("error", "remedy") if about.get(name)]
    counts = ("" if about.get(name) is None else str(about[name]) for name in ("pages", "chunks"))
    return (strong(shown_name(source)) + small(source), text(result) + "".join(map(small, said)), *map(text, counts))


def _show_links(record: Mapping[str, Any], written: dict[str, str]) -> None:
    collection = str(record.get("collection") or "")
    link_to("documents", t("The collection's documents", "该文档集的文档"), collection=collection)
    chosen = st.selectbox(
        t("A document that was written", "已写入的文档"),
        list(written),
        index=None,
        format_func=shown_name,
        placeholder=t("Choose one", "选择一份"),
        key=f"written-{record.get('trace_id')}",
    )
    if chosen:
        address = {"collection": collection, "doc": written[chosen]}
        link_to("documents", t("Open the document", "打开文档"), **address)
