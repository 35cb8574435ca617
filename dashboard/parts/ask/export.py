"""An answer as a file: the words, then each passage with the place it stands at."""

from khub.components.answer import Answer
from khub.components.catalog.parts import shown_name
from khub.components.text.inert_markdown import inert
from khub.dashboard.language import t


def as_markdown(question: str, answer: Answer) -> str:
    """Return a question, its answer and its sources as Markdown."""
    lines = [f"# {' '.join(question.split())}", ""]
    whole = answer.generated or not answer.citations
    lines += [answer.answer if whole else answer.answer.partition("\n")[0], ""]
    if answer.citations:
        lines += [f"## {t('Sources', '来源')}", ""]
    for cited in answer.citations:
        page = t(f", page {cited.page}", f"，第 {cited.page} 页") if cited.page else ""
        page = f", [{cited.time_mark}]" if cited.time_mark else page
        lines += [f"### [{cited.id}] {cited.title}", "", f"{cited.section} — `{shown_name(cited.source)}`{page}", ""]
        lines += [*(f"> {line}".rstrip() for line in cited.text.splitlines()), ""]
    asked = t("Asked in", "提问范围"), answer.collection, t("by graph", "流程图"), answer.graph
    lines += [f"*{asked[0]} {asked[1]} · {asked[2]} {asked[3]} · trace {answer.trace_id}*", ""]
    return inert("\n".join(lines))
