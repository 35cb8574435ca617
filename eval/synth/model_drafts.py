"""Drafts by a language model, where a person has named a graph that has one."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from khub.components.errors import StageError
from khub.components.home import hub_home
from khub.components.splitters.markdown_splitter import MarkdownSplitter
from khub.eval.evaluators.judge import Judge, JudgeError, JudgeUnreachableError, judge_name
from khub.eval.evaluators.judge_replies import JudgeReplies
from khub.eval.evaluators.matching import normalised
from khub.eval.synth.draft import Draft
from khub.eval.synth.drafting import spread
from khub.eval.synth.source_text import SourceText
from khub.server.graphs.load import load_graph

PASSAGE = 1500
LEAST_PASSAGE = 200
PROMPT = {
    "en": (
        "Below is a passage of the document “{title}”. Write up to {number} questions that a reader of such documents "
        "might ask, each answered by the passage alone and understandable without it (name things; never say “the "
        "passage”). Prefer facts, comparisons and paraphrases that share few words with the passage. For each give "
        "kind (fact, table, comparison, identifier or paraphrase), a short answer, and evidence: a literal quote of "
        "the passage, at most 200 characters, that proves the answer.\n"
        'Reply as {{"questions": [{{"question": "…", "kind": "fact", "answer": "…", "evidence": "…"}}]}}.\n\n'
        "<passage>\n{passage}\n</passage>"
    ),
    "zh": (
        "下面是文档《{title}》的一段。请写出最多 {number} 个这类文档的读者可能会问的问题：每个问题只凭这一段就能回答，"
        "脱离这一段也能读懂（写出具体名称，不要说“本段”“文中”）。优先选事实、比较，以及与原文用词不同的改写。"
        "每个问题给出 kind（fact、table、comparison、identifier 或 paraphrase）、简短的 answer，以及 evidence："
        "能证明答案的原文，逐字照抄，不超过 200 个字符。\n"
        '按这个格式输出：{{"questions": [{{"question": "…", "kind": "fact", "answer": "…", "evidence": "…"}}]}}。\n\n'
        "<passage>\n{passage}\n</passage>"
    ),
}


class _Question(BaseModel):
    question: str = Field(min_length=3, max_length=400)
    kind: Literal["fact", "table", "comparison", "identifier", "paraphrase"] = "fact"
    answer: str = Field(min_length=1)
    evidence: str = Field(min_length=2)


class _Questions(BaseModel):
    questions: list[_Question]


def generator_of(graph_name: str) -> Any:
    """Return the chat generator of a graph: a component of it, or the `chat_generator` of one, such as a judge's.

    :raises GraphError: when it has none.
    """
    for _, instance in load_graph(graph_name).pipeline.walk():
        for candidate in (getattr(instance, "chat_generator", None), instance):
            if candidate is not None and type(candidate).__name__.endswith("ChatGenerator"):
                return candidate
    raise StageError(f"graph {graph_name!r} has no chat generator", "name one such as more/evaluate_judged")


def draft_by_model(
    texts: Sequence[SourceText],
    generator: Any,
    per_document: int,
    on_passage: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[list[Draft], list[str]]:
    """Let a language model draft questions, from passages of all parts of each document.

    What it has said is kept in `$KHUB_HOME/eval/drafted.sqlite`, so that a stopped run asks nothing twice.

    :param texts: the documents.
    :param generator: any Haystack chat generator.
    :param per_document: at most so many questions of each.
    :param on_passage: called with how many passages are done, of all.
    :returns: drafts, and why others were refused: replies that cannot be used, evidence that is no quote.
    :raises JudgeUnreachableError: when the model gives no reply.
    """
    if hasattr(generator, "warm_up"):
        generator.warm_up()
    judge = Judge(generator, JudgeReplies(hub_home() / "eval" / "drafted.sqlite"))
    asked = [(text, passage) for text in texts for passage in _passages(text, (per_document + 1) // 2)]
    drafts: list[Draft] = []
    refused: list[str] = []
    for done, (text, passage) in enumerate(asked):
        on_passage(done, len(asked))
        here = sum(draft.source == text.source for draft in drafts)
        try:
            found, bad = _drafts(judge, text, passage, min(2, per_document - here))
        except JudgeUnreachableError:
            raise
        except JudgeError as error:
            refused.append(f"{text.source}: {error}")
            continue
        drafts += found
        refused += bad
    on_passage(len(asked), len(asked))
    return drafts, refused


Passage = tuple[str, int | None, str]
"""Text, page and language."""


def _passages(text: SourceText, number: int) -> list[Passage]:
    chunks = MarkdownSplitter(chunk_size=PASSAGE, overlap=0).run([text.document])["documents"]
    whole = [chunk for chunk in chunks if len(chunk.content or "") >= LEAST_PASSAGE] or chunks
    return [
        (chunk.content or "", chunk.meta["page"], "zh" if chunk.meta["language"] == "zh" else "en")
        for chunk in spread(whole, min(number, len(whole)))
    ]


def _drafts(judge: Judge, text: SourceText, passage: Passage, number: int) -> tuple[list[Draft], list[str]]:
    if number < 1:
        return [], []
    content, page, language = passage
    prompt = PROMPT[language].format(title=text.title, number=number, passage=content)
    reply, _ = judge.ask(prompt, language, _Questions)
    drafts, refused = [], []
    for one in reply.questions[:number]:
        if normalised(one.evidence) and normalised(one.evidence) in normalised(content):
            place = (text.source, _page_of(text, one.evidence, page), one.evidence)
            drafts.append(Draft(one.question, language, one.kind, one.answer, *place, judge_name(judge.generator)))
        else:
            refused.append(f"{text.source}: the evidence of {one.question!r} is no quote of the passage")
    return drafts, refused


def _page_of(text: SourceText, evidence: str, page: int | None) -> int | None:
    """Return the page of a quote: a passage may reach over the end of one."""
    content, starts = text.document.content or "", text.document.meta.get("page_starts") or []
    wanted = normalised(evidence)
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(content)], strict=False), start=1):
        if page is not None and number >= page and wanted in normalised(content[start:end]):
            return number
    return page
