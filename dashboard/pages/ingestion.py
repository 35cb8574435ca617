"""Ingestion: files come in, jobs are followed, documents and collections go."""

from collections.abc import Callable

import streamlit as st

from khub.dashboard.language import caption, t
from khub.dashboard.page import open_page
from khub.dashboard.parts.address import show_address
from khub.dashboard.parts.ingestion.collection_care import show_collections
from khub.dashboard.parts.ingestion.folder_form import show_folder
from khub.dashboard.parts.ingestion.job_list import show_jobs
from khub.dashboard.parts.ingestion.job_view import show_job
from khub.dashboard.parts.ingestion.source_list import show_sources
from khub.dashboard.parts.ingestion.upload_form import show_upload
from khub.dashboard.parts.views import choose_view
from khub.dashboard.visitor import may_write


def _show() -> None:
    show_address()
    heading, views = st.container(), _views()
    chosen, show = choose_view(views)
    titles = {
        "sources": t("What collections follow", "文档集跟随的来源"),
        "jobs": t("What was ingested, and what is under way", "导入任务与进度"),
        "collections": t("Care for a collection", "维护文档集"),
    }
    heading.title(titles.get(chosen) or t("Add documents", "导入文档"), anchor=False)
    if "upload" not in views:
        caption("You may read, but change nothing here.", "您只有读取权限，不能在此更改内容。")
    if chosen != "jobs":
        st.query_params.pop("job", None)
    # each has its own place, and the others are emptied first: else an old one stays until the new one is complete
    places = {name: st.container() if name == chosen else st.empty() for name in views}
    with places[chosen]:
        show()


def _views() -> dict[str, tuple[str, Callable[[], None]]]:
    """Return the views that there are for the visitor."""
    views: dict[str, tuple[str, Callable[[], None]]] = {}
    if may_write():
        views["upload"] = t("Upload", "上传"), show_upload
        views["folder"] = t("Folder", "文件夹"), show_folder
    views["sources"] = t("Sources", "来源"), show_sources
    views["jobs"] = t("Jobs", "任务"), _show_jobs
    views["collections"] = t("Collections", "文档集"), show_collections
    return views


def _show_jobs() -> None:
    if job_id := st.query_params.get("job"):
        show_job(job_id)
    else:
        show_jobs()


open_page(t("Ingestion", "导入"), _show, heading="")
