"""Where files go: the collection and the graph, and what is said of all of them."""

import json
from typing import Any

import streamlit as st

from khub.components.catalog.access import ACCESS_FIELD, access_levels, caller
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.dashboard.language import t
from khub.dashboard.parts.choice import choose
from khub.server.graphs.load import list_graphs
from khub.server.library.ingest_request import IngestRequest, metadata_of
from khub.server.library.ingest_rows import GRAPH as OF_ROWS
from khub.server.reads.hub_reads import collections

NEW = ""


def choose_target(with_metadata: bool = True) -> IngestRequest:
    """Show what can be chosen, and return what was.

    :param with_metadata: whether something can be said of the files.
    :raises MetadataError: if what is said of them is no JSON.
    """
    left, right = st.columns(2)
    with left:
        collection = _choose_collection()
    with right:
        graphs = ingest_graphs()
        index = graphs.index("ingest") if "ingest" in graphs else 0
        graph = st.selectbox(t("Graph", "流程图"), graphs, index, key="graph")
    return IngestRequest(collection, graph or "ingest", _choose_metadata() if with_metadata else {})


def chosen_graph() -> str:
    """Return the graph that was chosen in this visit."""
    return str(st.session_state.get("graph") or "ingest")


def ingest_graphs() -> list[str]:
    """Return the names of the graphs that files can go through."""
    return [info.name for info in list_graphs() if info.kind == "ingest" and info.name != OF_ROWS]


def as_text(wanted: IngestRequest) -> str:
    """Return what was chosen as one text, to be compared."""
    return json.dumps([wanted.collection, wanted.graph, wanted.meta], ensure_ascii=False, sort_keys=True)


def _choose_collection() -> str:
    names, bound = collections().names(), caller().collections
    options = [*names, NEW] if bound is None else sorted(bound)
    label, new = t("Collection", "文档集"), t("A new one …", "新建……")
    chosen = choose("collection", label, options, options[0], lambda name: name or new)
    if chosen or bound is not None:
        return chosen
    return st.text_input(t("Name of the new collection", "新文档集的名称"), "" if names else DEFAULT_COLLECTION).strip()


def _choose_metadata() -> dict[str, Any]:
    own = access_levels()
    levels = [level for level in own or () if isinstance(level, str)]
    with st.expander(t("Tags, access and metadata", "标签、访问级别与元数据"), expanded=bool(levels)):
        tags = st.multiselect(t("Tags", "标签"), [], accept_new_options=True, key="tags of files")
        opened_by = st.multiselect(
            t("Access levels: one of them opens it", "访问级别（具备其一即可查看）"),
            levels,
            levels[:1],
            accept_new_options=own is None,
            help=t("None: open to who has no levels set.", "留空：仅对未设级别限制的访问者开放。"),
            key="levels of files",
        )
        said = st.text_area(
            t("Metadata of all files, as JSON", "全部文件的元数据（JSON）"),
            placeholder='{"team": "sales", "year": 2026}',
            key="metadata of files",
        )
    meta = metadata_of(said.strip())
    meta |= {"tags": tags} if tags else {}
    return meta | ({ACCESS_FIELD: opened_by if len(opened_by) > 1 else opened_by[0]} if opened_by else {})
