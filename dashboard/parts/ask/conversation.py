"""A conversation: what was asked in this visit, and what was answered."""

from dataclasses import dataclass

import streamlit as st

from khub.components.answer import Answer
from khub.dashboard.language import t
from khub.dashboard.plain_text import plain
from khub.server.graphs.load import load_graph
from khub.server.hub import Hub
from khub.server.library.filter_text import parse_filters
from khub.server.questions.explain import explaining
from khub.server.questions.explained_answer import ExplainedAnswer
from khub.server.questions.follow_up import put_to

KEPT = "conversation"
LONGEST = 60
LOOKED_AT = "turn of the conversation"


@dataclass(frozen=True)
class Setting:
    """Where and how questions are asked.

    :param filters: each as a person types them.
    :param legs: `dense`, `sparse`; empty for both.
    :param top_k: passages; None for the graph's own number.
    """

    collection: str
    graph: str
    filters: tuple[str, ...] = ()
    legs: tuple[str, ...] = ()
    top_k: int | None = None


@dataclass(frozen=True)
class Turn:
    """A question and its answer.

    :param put: the question as it was put to the graph; another one where it was made to stand by itself.
    :param why: where each passage stood at every stage, from `khub.server.questions.explain`.
    """

    question: str
    put: str
    setting: Setting
    answer: Answer
    why: ExplainedAnswer


def turns() -> list[Turn]:
    """Return the turns of the conversation, the last one at the end."""
    found: list[Turn] = st.session_state.setdefault(KEPT, [])
    return found


def begin() -> None:
    """Forget what was asked before."""
    st.session_state[KEPT] = []
    st.session_state.pop(LOOKED_AT, None)


def choose_turn() -> Turn:
    """Show the turns where there are several, and return the one that is looked at: the last, or an earlier one."""
    every = turns()
    if len(every) == 1:
        return every[0]
    if st.session_state.get(LOOKED_AT) not in range(len(every)):
        st.session_state[LOOKED_AT] = len(every) - 1
    chosen = st.pills(
        t("Questions of this conversation", "本次对话的提问"),
        range(len(every)),
        required=True,
        format_func=lambda place: f"{place + 1}\\. {plain(every[place].question[:LONGEST])}",
        key=LOOKED_AT,
        label_visibility="collapsed",
    )
    return every[chosen or 0]


def put_question(question: str, setting: Setting) -> Turn:
    """Ask a question that may build on those before it, and keep what comes of it.

    :raises KhubError: naming what is wrong with the question, the collection, a filter or the graph.
    """
    graph = load_graph(setting.graph)
    looked_at = st.session_state.get(LOOKED_AT, len(turns()) - 1)
    asked = [turn.question for turn in turns()[: looked_at + 1]]
    put, more = put_to(graph, [*asked, question], setting.collection or None)
    filters = parse_filters(setting.filters)
    top_k = setting.top_k if "top_k" in graph.inputs else None
    legs = [*setting.legs] or None
    with explaining() as explanation:
        answer = Hub(heal=True).ask(put, setting.collection or None, graph, top_k, filters, legs, more)
    turn = Turn(question, answer.searched or put, setting, answer, explanation.of(answer, put, filters))
    turns().append(turn)
    st.session_state.pop(LOOKED_AT, None)
    return turn
