"""The documents of a collection, or of all: searched, filtered, sorted, fifty at a time."""

from typing import Any

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_page import KEYS, NEEDS, Wanted
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.parts import shown_name
from khub.components.query.short_filters import ShortFilter, all_of
from khub.dashboard.language import t, warning
from khub.dashboard.parts.address import put
from khub.dashboard.parts.choice import choose, chosen_order, page_number, typed
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.documents.attention import attention
from khub.dashboard.parts.documents.document_change import show_done, texts
from khub.dashboard.parts.documents.selected_documents import show_selected
from khub.dashboard.parts.file_facts import language_name
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.commands.trace_list import local_time
from khub.server.library.filter_text import split_filters
from khub.server.reads.hub_reads import collections, reader, title_of, user_metadata

ROWS = 50
MOST_TAGS = 200
SHOWN_TAGS = 4
NARROWING = ("status", "type", "written", "tag")
"""Parameters of the address."""
NEWEST = "-updated_at"
ORDERS = [way + key for key in KEYS for way in ("", "-")]
TABLE = "documents"


def show_list() -> None:
    """Show what chooses among the documents, and those that are chosen."""
    names = collections().names()
    heading = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="heading"
    )
    if not names:
        heading.title(t("No documents yet", "还没有文档"), anchor=False)
        link_to("ingestion", t("Ingest some", "导入文档"))
        return
    asked = st.query_params.get("collection", "")
    if asked and asked not in names:
        warning(f"There is no collection {plain(repr(asked))}.", f"没有名为“{plain(asked)}”的文档集。")
    show_done()
    wanted = _wanted(names)
    at = page_number(wanted)
    total, rows = reader().page(wanted, None, ROWS, (at - 1) * ROWS)
    pages = max(1, -(-total // ROWS))
    if at > pages:  # fewer than there were
        st.session_state["at"] = at = 1
        total, rows = reader().page(wanted, None, ROWS)
    heading.title(t(counted(total, "document", "documents"), f"{total:,} 份文档"), anchor=False, width="content")
    if not total:
        st.info(_nothing())
        return
    selected = _show_table(rows, wanted, len(names) > 1 and not wanted.collection)
    if may_write():
        with heading:
            show_selected(selected)
    put("at", st.pagination(pages, key="at") if pages > 1 else 1, 1)


def _nothing() -> str:
    if any(st.query_params.get(name) for name in ("q", *NARROWING)):
        return t("No document fits. Take away a word or a filter.", "没有符合条件的文档，请减少关键词或筛选条件。")
    return t("This collection is empty.", "该文档集为空。")


def _wanted(names: list[str]) -> Wanted:
    """Show the widgets that choose, and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = t("Title, path or id contains; type:pdf lang:zh tag:…", "标题、路径或编号包含；type:pdf lang:zh tag:…")
        text = typed("q", label)
        name = names[0]
        if len(names) > 1:
            label, every = t("Collection", "文档集"), t("All collections", "全部文档集")
            name = choose("collection", label, ["", *names], "", lambda one: one or every, 220)
        chosen = _filters([name] if name else names)
    sort = chosen_order(TABLE, ORDERS, NEWEST)
    words, short = split_filters(text)
    fields = {"doc_type": chosen["type"], "language": chosen["written"]}
    equal = [{"field": f"meta.{key}", "operator": "==", "value": value} for key, value in fields.items() if value]
    conditions = [*equal, *map(_condition, short)]
    return Wanted(
        name or None,
        all_of(conditions) if conditions else None,
        words or None,
        "ready" if chosen["status"] == "ready" else None,
        sort.removeprefix("-"),
        sort.startswith("-"),
        chosen["status"] if chosen["status"] in NEEDS else None,
        chosen["tag"] or None,
    )


def _condition(short: ShortFilter) -> dict[str, Any]:
    """Return what a document has to meet; a list of those with a tag has none without tags, as a question would."""
    found: dict[str, Any] = short.condition["conditions"][0] if short.text.startswith("tag:") else short.condition
    return found


def _filters(names: list[str]) -> dict[str, str]:
    """Show the other filters, and return what they say; what they offer is sought only where they are open."""
    said = {name: st.query_params.get(name, "") for name in NARROWING}
    number = len([*filter(None, said.values())])
    label = t("Filters", "筛选") + (f" ({number})" if number else "")
    opened = st.popover(label, key="filters", on_change="rerun")
    if not opened.open:
        return said
    about = [reader().overview(name) for name in names]
    kinds, languages, tags = (
        sorted({value for one in about for value in one[key] if value}) for key in ("doc_types", "languages", "tags")
    )
    offered = [tag for place, tag in enumerate(tags) if place < MOST_TAGS or tag == said["tag"]]
    statuses = {
        "ready": t("ready", "就绪"),
        "again": t("failed", "失败"),
        "ocr": t("waits for OCR", "等待 OCR"),
    }
    with opened:
        return {
            "status": choose("status", t("Status", "状态"), ["", *statuses], "", lambda one: statuses.get(one, "")),
            "type": choose("type", t("Type", "类型"), ["", *kinds], ""),
            "written": choose("written", t("Language", "语言"), ["", *languages], "", language_name),
            "tag": choose("tag", t("Tag", "标签"), ["", *offered], ""),
        }


def _show_table(rows: list[DocumentRow], wanted: Wanted, of_all: bool) -> list[str]:
    levels = [texts(row["meta"].get(ACCESS_FIELD)) for row in rows]
    columns = [
        Column(t("Title", "标题"), "title", kind="main", also=Column(t("File", "文件"), "source")),
        Column(t("Type", "类型"), "type", width=640),
        Column(t("Pages", "页数"), "pages", True, "number", 640),
        Column(t("Language", "语言"), "language", width=640),
        Column(t("Changed", "更新日期"), "updated_at", True, width=640),
        *([Column(t("Access", "访问级别"), kind="text", width=640)] if any(levels) else []),
        Column(t("Attention", "需处理"), kind="text"),
    ]
    shown = [
        Row(
            row["doc_id"],
            [
                _title(row, of_all),
                Cell(row["doc_type"] or row["source"].rpartition(".")[2]),
                Cell(f"{row['pages']:,}" if row["pages"] else ""),
                Cell(language_name(row["language"]) if row["language"] else ""),
                Cell(local_time(row["updated_at"])[:10]),
                *([Cell(badges=[Badge(level) for level in own])] if any(levels) else []),
                attention(row),
            ],
        )
        for row, own in zip(rows, levels, strict=True)
    ]
    order = ("-" if wanted.descending else "") + wanted.sort
    return show_table(t("Documents", "文档"), columns, shown, TABLE, order, select=may_write())


def _title(row: DocumentRow, of_all: bool) -> Cell:
    title, file = title_of(row), shown_name(row["source"])
    below = [*([file] if file != title else []), *([row["collection"]] if of_all else [])]
    tags = [Badge(f"#{tag}") for tag in texts(user_metadata(row).get("tags"))[:SHOWN_TAGS]]
    return Cell(title, " · ".join(below), Link("documents", {"doc": row["doc_id"]}), tags)
