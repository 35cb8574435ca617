"""The documents of a collection: searched, filtered, sorted, fifty at a time."""

import streamlit as st

from khub.components.catalog.collection_overview import CollectionOverview
from khub.components.catalog.document_page import NEEDS, Wanted
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.dashboard.language import t
from khub.dashboard.parts.address import put, take
from khub.dashboard.parts.choice import choose, page_number
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.file_facts import day, language_name
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import collections, reader, title_of, user_metadata

ROWS = 50
MOST_TAGS = 200
SHOWN_TAGS = 4
NARROWING = ("status", "type", "written", "tag")
"""Parameters of the address."""
NEWEST = "-updated_at"


def show_list() -> None:
    """Show the collections, and the documents of the one that is chosen."""
    names = collections().names()
    if not names:
        st.info(t("There are no documents yet.", "还没有文档。"))
        link_to("ingestion", t("Ingest some", "导入文档"))
        return
    asked = st.query_params.get("collection", "")
    if asked and asked not in names:
        st.warning(t(f"There is no collection {plain(repr(asked))}.", f"没有名为“{plain(asked)}”的文档集。"))
    options = ["", *names] if len(names) > 1 else names
    name = choose("collection", t("Collection", "文档集"), options, options[0], _name)
    if name:
        _show_collection(name)
    else:
        _show_collections(names)


def _name(name: str) -> str:
    return name or t("All collections", "全部文档集")


def _show_collections(names: list[str]) -> None:
    for name in names:
        about = reader().overview(name)
        with st.container(border=True):
            link_to("documents", f"**{plain(name)}**", collection=name)
            documents, chunks = about["documents"], about["chunks"]
            counts = t(f"{documents:,} documents · {chunks:,} passages", f"{documents:,} 份文档 · {chunks:,} 个段落")
            languages = ", ".join(map(language_name, about["languages"]))
            changed = t(f"changed {day(about['changed_at'])}", f"更新于 {day(about['changed_at'])}")
            st.caption(" · ".join(part for part in (counts, plain(languages), plain(changed)) if part))


def _show_collection(name: str) -> None:
    about = reader().overview(name)
    wanted = _wanted(name, about)
    at = page_number(wanted)
    total, rows = reader().page(wanted, None, ROWS, (at - 1) * ROWS)
    pages = max(1, -(-total // ROWS))
    if at > pages:  # fewer than there were
        st.session_state["at"] = at = 1
        total, rows = reader().page(wanted, None, ROWS)
    if not total:
        st.info(_nothing(about))
        return
    first = (at - 1) * ROWS + 1
    last = first + len(rows) - 1
    st.caption(
        t(
            f"{first:,} to {last:,} of {counted(total, 'document', 'documents')}",
            f"第 {first:,}–{last:,} 份，共 {total:,} 份文档",
        )
    )
    for row in rows:
        _show_row(row)
    put("at", st.pagination(pages, key="at") if pages > 1 else 1, 1)


def _wanted(name: str, about: CollectionOverview) -> Wanted:
    """Show the widgets that choose, and return what they say."""
    words, order = st.columns([3, 1])
    with words:
        take("q", None, "")
        text = st.text_input(t("Title, path or id contains", "标题、路径或编号包含"), key="q", max_chars=500).strip()
        put("q", text, "")
    with order:
        sort = choose("sort", t("Order", "排序"), list(_orders()), NEWEST, lambda key: _orders()[key])
    narrowed = any(st.query_params.get(name) for name in NARROWING)
    with st.expander(t("Filters", "筛选"), expanded=narrowed):
        status, kinds, languages, tags = st.columns(4)
    with status:
        chosen = choose("status", t("Status", "状态"), [*_statuses()], "", lambda key: _statuses()[key])
    with kinds:
        kind = choose("type", t("Type", "类型"), ["", *about["doc_types"]], "", _or_any)
    with languages:
        codes = [code for code in about["languages"] if code]
        language = choose("written", t("Language", "语言"), ["", *codes], "", lambda code: _or_any(language_name(code)))
    with tags:
        tag = choose("tag", t("Tag", "标签"), ["", *about["tags"][:MOST_TAGS]], "", _or_any)
    conditions = [
        {"field": f"meta.{field}", "operator": "==", "value": value}
        for field, value in (("doc_type", kind), ("language", language))
        if value
    ]
    filters = {"operator": "AND", "conditions": conditions} if conditions else None
    return Wanted(
        name,
        filters,
        text or None,
        chosen if chosen == "ready" else None,
        sort.removeprefix("-"),
        sort.startswith("-"),
        chosen if chosen in NEEDS else None,
        tag or None,
    )


def _show_row(row: DocumentRow) -> None:
    with st.container(gap="xxsmall"):
        link_to("documents", plain(title_of(row)), doc=row["doc_id"])
        st.caption(" · ".join(_facts(row)))
        if row["error"]:
            st.caption(f"⚠ {plain(row['error'])} → {plain(row['remedy'] or '')}")


def _facts(row: DocumentRow) -> list[str]:
    facts = [row["doc_type"] or row["source"].rpartition(".")[2]]
    if row["status"] == "failed":
        facts.append(t("failed", "失败"))
    if row["pages"]:
        facts.append(t(counted(row["pages"], "page", "pages"), f"{row['pages']:,} 页"))
    facts.append(t(counted(row["chunks"], "passage", "passages"), f"{row['chunks']:,} 个段落"))
    facts += [language_name(row["language"])] if row["language"] else []
    facts.append(day(row["updated_at"]))
    tags = user_metadata(row).get("tags") or []
    facts += [f"#{tag}" for tag in (tags if isinstance(tags, list) else [tags])[:SHOWN_TAGS]]
    if row["meta"].get(DEGRADED_STAGES):
        facts.append(t("degraded", "已降级"))
    return [plain(fact) for fact in facts]


def _nothing(about: CollectionOverview) -> str:
    if about["documents"] or any(st.query_params.get(name) for name in ("q", *NARROWING)):
        return t("No document fits. Take away a word or a filter.", "没有符合条件的文档，请减少关键词或筛选条件。")
    return t("This collection is empty.", "该文档集为空。")


def _statuses() -> dict[str, str]:
    return {
        "": t("any", "全部"),
        "ready": t("ready", "就绪"),
        "again": t("failed", "失败"),
        "ocr": t("waits for OCR", "等待 OCR"),
    }


def _or_any(value: str) -> str:
    return value or t("any", "全部")


def _orders() -> dict[str, str]:
    return {
        NEWEST: t("newest first", "最近更新"),
        "updated_at": t("oldest first", "最早更新"),
        "title": t("title", "标题"),
        "source": t("path", "路径"),
        "-pages": t("most pages", "页数最多"),
        "-chunks": t("most passages", "段落最多"),
    }
