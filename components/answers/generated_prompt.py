"""What a language model is asked, with retrieved text that stays data."""

import re
import secrets
from collections.abc import Sequence

from haystack.dataclasses import ChatMessage

from khub.components.answer import Citation
from khub.components.answers.excerpt import excerpt
from khub.components.answers.prompt_passage import PromptPassage
from khub.components.model_servers.prompt import load_prompt, prompt_language
from khub.components.query.query_analyzer import clean_query
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.question_language import question_language
from khub.components.text.turn_marks import without_turns

PACKAGE = "khub.components.answers"
LEAST_CHARACTERS = 200
"""A passage for which less room is left is not shown."""

_MARKS = re.compile(
    r"[\[【［][^\S\n]*+(\^?\d{1,3}(?:\s*[,，、;；–-]\s*\d{1,3})*)[^\S\n]*+(?:†[^\[\]【】［］\n]{0,80}+)?[\]】］]"
)
_SPACES = re.compile(r"[^\S\n\t ]")


def messages_for(
    query: str, citations: Sequence[Citation], max_characters: int, prompt_file: str | None
) -> tuple[list[ChatMessage], list[int]]:
    """Return what is asked, and the numbers of the passages that are shown.

    Around the passages stands a random mark, made anew for each question, so that no document can hold it and seem to
    end there. Title and heading are a document's words, too, and stand inside. Marks like `[3]` in a passage become
    `(3)`: a model would copy them, and they would seem to be marks of ours.

    :param query: the question, as it was asked.
    :param max_characters: of all passages together; the first one is cut to it, later ones are cut or left out.
    :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
    :raises GraphError: when the prompt cannot be read or filled.
    """
    question = clean_query(query)
    passages = _passages(citations, max_characters)
    prompt = load_prompt("answer", prompt_language(question_language(question)), prompt_file, PACKAGE)
    text = prompt.filled(
        fence=secrets.token_hex(8),
        numbers=", ".join(str(passage["id"]) for passage in passages),
        passages=passages,
        question=question,
    )
    return [ChatMessage.from_user(text)], [passage["id"] for passage in passages]


def passage_text(citation: Citation) -> str:
    """Return what a passage says: title, heading, and its text between that of its neighbours, where they are known."""
    names = dict.fromkeys(on_one_line(part) for part in (citation.title, citation.section) if part)
    around = citation.context
    parts = (" > ".join(names), around and around.before, citation.text, around and around.after)
    return "\n".join(part for part in parts if part)


def _passages(citations: Sequence[Citation], room: int) -> list[PromptPassage]:
    shown: list[PromptPassage] = []
    for citation in citations:
        if shown and room < LEAST_CHARACTERS:
            break
        text = excerpt(passage_text(citation), max(room, LEAST_CHARACTERS), citation.evidence)
        text = _harmless(text)
        shown.append({"id": citation.id, "text": text})
        room -= len(text)
    return shown


def _harmless(text: str) -> str:
    return _MARKS.sub(r"(\1)", without_turns(_SPACES.sub(" ", text)))
