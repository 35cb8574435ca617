"""The sources that collections follow: when each was synced, when it is next, why one stands still, and now."""

import streamlit as st

from khub.dashboard.language import caption, info, t
from khub.dashboard.page import part
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.jobs.listed_sources import ListedSource, listed_sources
from khub.server.jobs.source_jobs import ask_for_source
from khub.server.sources.configured import source_of_key

LOOK_S = 2.0
HOW = "https://docs.example.com"


def show_sources() -> None:
    """Show the list."""
    live = any(source.running for source in listed_sources())
    part(_list, run_every=LOOK_S if live else None)(live)


def _list(live: bool) -> None:
    sources = listed_sources()
    if live and not any(source.running for source in sources):
        st.rerun()  # nothing more changes
    if not sources:
        info(
            f"No collection follows a source yet. Name one in sources.yaml, or at the command: `khub sync web:{HOW}`",
            f"还没有文档集跟随来源。在 sources.yaml 中写明，或用命令：`khub sync web:{HOW}`",
        )
    for source in sources:
        _show(source)
    caption(
        "Folders are no sources: they are kept in step under *Folder*, or with `khub sync FOLDER`.",
        "文件夹不在此列：请在“文件夹”中同步，或用命令 `khub sync 文件夹`。",
    )


def _show(source: ListedSource) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.markdown(f"**{plain(source.address)}** → {plain(source.collection)}")
            st.caption(" · ".join(filter(None, _said(source))))
            if source.problem:
                st.caption(f"⚠ {plain(source.problem)}")
        if source.running:
            link_to("ingestion", t("Under way", "同步中"), view="jobs", job=source.running)
        elif source.configured and may_write() and st.button(t("Sync now", "立即同步"), key=f"sync {source.key}"):
            begin_jobs(f"/sources/{source.key}/sync", lambda: [ask_for_source(source_of_key(source.key))])


def _said(source: ListedSource) -> list[str]:
    last, following = source.last_at, source.next_at
    items = source.counts.get("items")
    return [
        t(f"last {day(last)}", f"上次 {day(last)}") if last else t("never synced", "尚未同步"),
        t(f"next {day(following)}", f"下次 {day(following)}") if following else "",
        t(f"{items:,} items", f"{items:,} 项") if last and items is not None else "",
    ]
