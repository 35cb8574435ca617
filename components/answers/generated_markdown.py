"""The Markdown around a generated answer: its sources, and what is to be known about it."""

from collections.abc import Sequence

from khub.components.answer import Answer, Citation
from khub.components.answers.markdown import WORDS as PASSAGE_WORDS
from khub.components.answers.markdown import name_and_place, not_shown_note, plain
from khub.components.answers.not_shown import not_shown
from khub.components.model_servers.prompt import prompt_language
from khub.components.text.question_language import question_language
from khub.components.text.stopwords import without_stopwords

WORDS = {
    "en": {
        "sources": "Sources:",
        "unsupported": "Not borne out by the passages: {texts}",
        "removed": "Left out, since it points to no passage: {texts}",
        "failed": "Note: no answer could be written ({reason}); these are the passages themselves.",
        "cut": "Note: the answer is not complete ({reason}).",
        "none": "The passages found do not answer this question. The nearest are in:",
    },
    "zh": {
        "sources": "来源：",
        "unsupported": "以下内容在所引段落中没有依据：{texts}",
        "removed": "已删去不指向任何段落的内容：{texts}",
        "failed": "注意：未能写出回答（{reason}），以上是检索到的原文。",
        "cut": "注意：回答不完整（{reason}）。",
        "none": "找到的段落没有回答这个问题。最接近的内容见：",
    },
}
RULE = "\n\n---\n\n"
"""Between what the model wrote and what the hub adds."""
SHOWN = 5
LONGEST = 200


def with_notes(
    text: str, cited: Sequence[Citation], unsupported: list[str], removed: list[str], reason: str, language: str
) -> str:
    """Return an answer with its sources and notes below it.

    :param text: the answer, its marks checked.
    :param cited: the citations that it names.
    :param unsupported: its sentences that the passages do not bear out.
    :param removed: what was taken out of it.
    :param reason: why it is not complete, "" if it is.
    :param language: `zh` or `en`, of the fixed words.
    """
    words = WORDS[language]
    blocks = [words["sources"] + "\n\n" + _sources(cited, language)] if cited else []
    if unsupported:
        blocks.append(words["unsupported"].format(texts=_quoted(unsupported)))
    if removed:
        blocks.append(words["removed"].format(texts=_quoted(removed)))
    if reason:
        blocks.append(words["cut"].format(reason=plain(reason, LONGEST)))
    return text + RULE + "\n\n".join(blocks) if blocks else text


def doubt_before(query: str, citations: Sequence[Citation]) -> str:
    """Return what an answer begins with where the question names something that no passage holds, else "".

    :param query: the question.
    :param citations: all that the model is shown.
    """
    language = question_language(query)
    absent = not_shown(query, without_stopwords(query), language, citations)
    said = not_shown_note(absent._replace(first=[]), "", query, prompt_language(language))
    return f"{said}\n\n" if said else ""


def without_answer(citations: Sequence[Citation], language: str) -> str:
    """Return that the passages do not answer, and where the nearest ones stand.

    :param citations: the passages.
    :param language: `zh` or `en`.
    """
    # without numbers: there are no citations that they could point to
    places = dict.fromkeys(_place(citation, language) for citation in citations[:SHOWN])
    return WORDS[language]["none"] + "\n\n" + "\n".join(f"- {place}" for place in places)


def failed_note(reason: str, language: str) -> str:
    """Return that no answer could be written, and why, in one line.

    :param reason: why.
    :param language: `zh` or `en`.
    """
    return WORDS[language]["failed"].format(reason=plain(reason, LONGEST))


def not_streamed(answer: Answer, streamed: bool) -> str:
    """Return what of an answer is still to be shown: all that was not written by a model to its end.

    :param streamed: whether tokens of it have been shown.
    """
    text = answer.answer
    if not streamed:
        return text
    if answer.abstained or not answer.generated:
        return RULE + text
    _, rule, notes = text.rpartition(RULE)
    return rule + notes if rule else ""


def _sources(cited: Sequence[Citation], language: str) -> str:
    return "\n".join(f"- [{citation.id}] {_place(citation, language)}" for citation in cited)


def _place(citation: Citation, language: str) -> str:
    return " — ".join(filter(None, name_and_place(citation, PASSAGE_WORDS[language])))


def _quoted(texts: list[str]) -> str:
    more = f" (+{len(texts) - SHOWN})" if len(texts) > SHOWN else ""
    return "; ".join(f"“{plain(text, LONGEST)}”" for text in texts[:SHOWN]) + more
