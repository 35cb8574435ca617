"""Where files go: the collection and the graph, and what is said of all of them."""

import json
from collections.abc import Collection
from typing import Any

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD, access_levels, caller
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.dashboard.language import t
from khub.dashboard.parts.access_box import choose_levels
from khub.server.graphs.load import list_graphs
from khub.server.jobs.known_jobs import known_jobs
from khub.server.library.ingest_request import IngestRequest, metadata_of
from khub.server.library.ingest_rows import GRAPH as OF_ROWS
from khub.server.reads.hub_reads import collections

INGEST = ":material/publish:"
LAST = "collection that was filled last"


def choose_target(with_metadata: bool = True) -> IngestRequest:
    """Show what can be chosen, and return what was.

    :param with_metadata: whether something can be said of the files.
    :raises MetadataError: if what is said of them is no JSON.
    """
    collection = choose_collection()
    levels = [level for level in access_levels() or () if isinstance(level, str)]
    with st.expander(t("More", "更多"), expanded=with_metadata and bool(levels)):
        graph = choose_graph()
        meta = _choose_metadata(levels) if with_metadata else {}
    return IngestRequest(collection, graph, meta)


def remember(collection: str) -> None:
    """Let a collection be the one that is offered first for the rest of the visit."""
    st.session_state[LAST] = collection


def chosen_graph() -> str:
    """Return the graph that was chosen in this visit."""
    return str(st.session_state.get("graph") or "ingest")


def choose_graph() -> str:
    """Let the visitor choose the graph that files go through, and return its name."""
    graphs = ingest_graphs()
    index = graphs.index("ingest") if "ingest" in graphs else 0
    return st.selectbox(t("Graph", "流程图"), graphs, index, key="graph") or "ingest"


def ingest_graphs() -> list[str]:
    """Return the names of the graphs that files can go through."""
    return [info.name for info in list_graphs() if info.kind == "ingest" and info.name != OF_ROWS]


def as_text(wanted: IngestRequest) -> str:
    """Return what was chosen as one text, to be compared."""
    return json.dumps([wanted.collection, wanted.graph, wanted.meta], ensure_ascii=False, sort_keys=True)


def choose_collection(without: Collection[str] = ()) -> str:
    """Let the visitor choose; at first the address chooses, else the visit, else whatever was filled last.

    :param without: names that are not offered.
    """
    bound = caller().collections
    names = collections().names() if bound is None else sorted(bound)
    filled = [job["collection"] for job in known_jobs((), 0, 1, kinds=("ingest", "sync"))[1]]
    only = names if len(names) == 1 else []
    wanted = (st.query_params.get("collection"), st.session_state.get(LAST), *filled, *only, DEFAULT_COLLECTION)
    if bound is None:
        names = list(dict.fromkeys([*names, DEFAULT_COLLECTION]))
    names = [name for name in names if name not in without]
    first = next((names.index(name) for name in wanted if name in names), 0)
    chosen = st.selectbox(
        t("Collection", "文档集"),
        names,
        first,
        accept_new_options=bound is None,
        help=None if bound is not None else t("Type a name for a new one.", "输入名称即可新建。"),
        key="collection of files",
    )
    return (chosen or "").strip()


def _choose_metadata(levels: list[str]) -> dict[str, Any]:
    tags = st.multiselect(t("Tags", "标签"), [], accept_new_options=True, key="tags of files")
    opened_by = choose_levels(levels[:1], "levels of files")
    said = st.text_area(
        t("Metadata of all files, as JSON", "全部文件的元数据（JSON）"),
        placeholder='{"team": "sales", "year": 2026}',
        key="metadata of files",
    )
    meta = metadata_of(said.strip())
    meta |= {"tags": tags} if tags else {}
    return meta | ({ACCESS_FIELD: opened_by if len(opened_by) > 1 else opened_by[0]} if opened_by else {})
