"""The files of an ingest, and what became of each."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.components.catalog.parts import shown_name
from khub.dashboard.language import info, t
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.server.traces.file_outcome import FileOutcome
from khub.server.traces.outcome import file_results


def show_files(record: Mapping[str, Any], opened: bool) -> None:
    """Show each file with its result, the remedy where it failed, and the way to its document.

    :param record: of the trace log, of kind `ingest`.
    :param opened: whether all that it tells of is opened to the visitor.
    """
    files = file_results(record) if opened else {}
    count = int(record.get("source_count") or len(files))
    if not opened or not files:
        info(f"{count:,} files; their names are not shown.", f"共 {count:,} 个文件，不显示文件名。")
        return
    if count > len(files):
        st.write(t(f"The first {len(files)} of {count:,} files:", f"共 {count:,} 个文件，列出前 {len(files)} 个："))
    columns = [
        Column(t("File", "文件"), kind="main"),
        Column(t("Result", "结果"), kind="text"),
        Column(t("Pages", "页数"), kind="number", width=640),
        Column(t("Passages", "段落"), kind="number", width=640),
    ]
    collection = str(record.get("collection") or "")
    found = sorted(files.items(), key=lambda item: item[1]["result"] != "failed")
    rows = [Row(source, _cells(source, about, collection)) for source, about in found]
    show_table(t("Files of the ingest", "导入的文件"), columns, rows, f"files-{record.get('trace_id')}")
    link_to("documents", t("The collection's documents", "该文档集的文档"), collection=collection)


def _cells(source: str, about: FileOutcome, collection: str) -> list[Cell]:
    result = {
        "written": Badge(t("written", "已写入"), "good"),
        "unchanged": Badge(t("unchanged", "未变化")),
        "failed": Badge(t("failed at {}", "在 {} 阶段失败").format(about.get("stage") or "?"), "bad"),
        "unknown": Badge(t("not kept in the trace", "记录中未保留")),
    }[about["result"]]
    said = " → ".join(str(about[name]) for name in ("error", "remedy") if about.get(name))
    doc_id = about.get("doc_id")
    link = Link("documents", {"collection": collection, "doc": str(doc_id)}) if doc_id else None
    return [
        Cell(shown_name(source), source, link),
        Cell(small=said, badges=[result]),
        *(Cell("" if about.get(name) is None else str(about.get(name))) for name in ("pages", "chunks")),
    ]
