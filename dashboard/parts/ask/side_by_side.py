"""Two graphs on one question: what each finds, and where."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.library.filter_text import parse_filters
from khub.server.questions.compare import compare
from khub.server.questions.comparison import Comparison

TEXT_CHARACTERS = 220


def show_side_by_side(question: str, graphs: tuple[str, str], collection: str, filters: tuple[str, ...] = ()) -> None:
    """Ask both graphs, and show how their results differ.

    :param filters: each as a person types them.
    :raises KhubError: naming what is wrong with the question, the collection, a filter or a graph.
    """
    found = _compared(question, graphs, collection, filters)
    columns = st.columns(2)
    for column, about in zip(columns, found.graphs, strict=True):
        with column, st.container(border=True):
            st.markdown(f"##### {plain(about.graph)}")
            ms = about.timings_ms["total"]
            st.caption(
                t(f"{about.results} passages · {ms:.0f} ms", f"{about.results} 个段落 · {ms:.0f} 毫秒")
                + (t(" · abstained", " · 未作答") if about.abstained else "")
            )
            for entry in about.degraded:
                st.warning(plain(f"{entry.stage}: {entry.reason}"))
            link_to("query_runs", t("How it was found", "查看检索过程"), trace=about.trace_id)
    st.caption(
        t(
            f"{found.overlap:.0%} of the results are the same; {found.moved} stand elsewhere.",
            f"结果重合 {found.overlap:.0%}，{found.moved} 个名次不同。",
        )
    )
    st.dataframe(
        [
            {
                **dict(zip(_names(graphs), result.ranks, strict=True)),
                t("Moved", "升降"): _moved(result.moved),
                t("Title", "标题"): result.title,
                t("Section", "章节"): result.section,
                t("Text", "内容"): (result.evidence or result.text)[:TEXT_CHARACTERS],
            }
            for result in found.results
        ],
        hide_index=True,
        width="stretch",
    )


def _compared(question: str, graphs: tuple[str, str], collection: str, filters: tuple[str, ...]) -> Comparison:
    """Return the comparison; the last one is kept, for the page is drawn again whenever something on it is used."""
    asked = (question, graphs, collection, filters)
    if st.session_state.get("compared", (None,))[0] != asked:
        with st.spinner(t("Asking both …", "正在提问两个流程图……")):
            found = compare(question, graphs, collection, filters=parse_filters(filters))
        st.session_state["compared"] = (asked, found)
    kept: Comparison = st.session_state["compared"][1]
    return kept


def _names(graphs: tuple[str, str]) -> tuple[str, str]:
    """Return what the columns are called: a graph may be compared with itself."""
    return graphs if graphs[0] != graphs[1] else (f"{graphs[0]} (1)", f"{graphs[1]} (2)")


def _moved(places: int | None) -> str:
    if places is None:
        return t("only in one", "仅一方有")
    return f"↑ {places}" if places > 0 else f"↓ {-places}" if places else "="
