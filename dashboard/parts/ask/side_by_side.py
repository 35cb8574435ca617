"""Two graphs on one question: what each finds, and where."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.comparison_tables import show_comparison
from khub.server.library.filter_text import parse_filters
from khub.server.questions.compare import compare
from khub.server.questions.comparison import Comparison


def show_side_by_side(
    question: str, graphs: tuple[str, str], collection: str | None, filters: tuple[str, ...] = ()
) -> None:
    """Ask both graphs, and show how their results differ.

    :param filters: each as a person types them.
    :raises KhubError: naming what is wrong with the question, the collection, a filter or a graph.
    """
    show_comparison(_compared(question, graphs, collection, filters), _names(graphs), collection)


def _compared(question: str, graphs: tuple[str, str], collection: str | None, filters: tuple[str, ...]) -> Comparison:
    """Return the comparison; the last one is kept, for the page is drawn again whenever something on it is used."""
    asked = (question, graphs, collection, filters)
    if st.session_state.get("compared", (None,))[0] != asked:
        with st.spinner(t("Asking both …", "正在提问两个流程图……")):
            found = compare(question, graphs, collection, filters=parse_filters(filters))
        st.session_state["compared"] = (asked, found)
    kept: Comparison = st.session_state["compared"][1]
    return kept


def _names(graphs: tuple[str, str]) -> list[str]:
    """Return what the columns are called: a graph may be compared with itself."""
    return [*graphs] if graphs[0] != graphs[1] else [f"{graphs[0]} (1)", f"{graphs[1]} (2)"]
