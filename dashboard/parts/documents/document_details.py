"""Facts and metadata of a document, and the run that made it."""

import json
from typing import Any

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.components.text.file_size import file_size
from khub.dashboard.language import t
from khub.dashboard.parts.documents.left_on_purpose import show_left_on_purpose
from khub.dashboard.parts.documents.mail_links import show_mail_links
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.link import link_to
from khub.server.reads.document_summary import summary_of
from khub.server.reads.hub_reads import reader
from khub.server.reads.ingest_trace import ingest_trace_of


def show_details(row: DocumentRow) -> None:
    """Show what the catalog knows.

    :param row: of the document, from the catalog.
    """
    about = summary_of(row["doc_id"])
    whole = reader().document_is_opened(row["doc_id"])
    facts = {
        t("Path or address", "路径或地址"): row["source"],
        t("Id", "编号"): row["doc_id"],
        t("Collection", "文档集"): row["collection"],
        t("Size of the file", "文件大小"): file_size(row["size"]) if row["size"] else "",
        "SHA-256": (row["sha256"] or "") if whole else "",
        t("Dated by itself", "文档自述日期"): about["created"] or "",
        t("Read", "导入时间"): day(row["ingested_at"]),
        t("Changed", "更新时间"): day(row["updated_at"]),
        t("Characters of a passage, on average", "段落平均字符数"): f"{about['average_chunk_characters']:,}",
        t("Tags", "标签"): ", ".join(about["tags"]),
        t("Summary", "摘要"): about["summary"],
    }
    _table({key: value for key, value in facts.items() if value}, t("Facts of the document", "文档信息"))
    if about["metadata"]:
        st.subheader(t("Metadata", "元数据"), anchor=False)
        said = {key: _as_text(value) for key, value in about["metadata"].items()}
        _table(said, t("Metadata of the document", "文档元数据"))
    show_mail_links(row)
    show_left_on_purpose(row)
    trace = ingest_trace_of(row)
    if trace is not None:
        label = t("How it was ingested", "查看导入过程")
        link_to("ingestion_runs", label, trace=trace)


def _table(rows: dict[str, str], alt: str) -> None:
    columns = {t("What", "项目"): [*rows], t("Value", "内容"): [*rows.values()]}
    st.dataframe(columns, hide_index=True, alt=alt)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
