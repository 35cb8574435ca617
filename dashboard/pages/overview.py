"""Overview: what the hub holds, how it is, and what waits for somebody."""

from collections.abc import Callable

from khub.dashboard.language import info, t
from khub.dashboard.page import open_page
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.overview.collection_table import show_collections
from khub.dashboard.parts.overview.graph_chart import show_graphs
from khub.dashboard.parts.overview.health import show_health
from khub.dashboard.parts.overview.last_errors import show_last_errors
from khub.dashboard.parts.overview.to_do import show_to_do
from khub.dashboard.parts.views import choose_view
from khub.server.reads.hub_reads import collections


def _show() -> None:
    if not collections().names():
        info("There are no documents yet.", "还没有文档。")
        link_to("ingestion", t("Ingest some", "导入文档"))
    show_to_do()
    _, show = choose_view(_views())
    show()


def _views() -> dict[str, tuple[str, Callable[[], None]]]:
    return {
        "collections": (t("Collections", "文档集"), show_collections),
        "graphs": (t("Graphs", "流程图"), show_graphs),
        "health": (t("Health", "健康检查"), show_health),
        "errors": (t("Last errors", "最近的错误"), show_last_errors),
    }


open_page(t("Overview", "总览"), _show, heading=t("What the hub holds, and how it is", "内容与健康状况"))
