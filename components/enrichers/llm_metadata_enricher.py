"""Title, summary, tags, language and dates of documents, by a language model."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.components.extractors.llm_metadata_extractor import LLMMetadataExtractor
from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage

from khub.components.enrichers.asking_stage import AskingStage
from khub.components.enrichers.degraded import with_stage
from khub.components.enrichers.document_metadata import by_document, original_text, with_metadata, without_found
from khub.components.enrichers.metadata_enricher import found_by_rules
from khub.components.enrichers.reply import reply_text
from khub.components.enrichers.sentences import running_text
from khub.components.enrichers.stage import Ask, Outcome, Task
from khub.components.errors import GraphError, ParameterError
from khub.components.model_servers.model_failure import UnusableReplyError
from khub.components.model_servers.prompt import LANGUAGES, fence, prompt_language, prompt_text
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.turn_marks import without_turns

STRINGS = {"title": "title", "summary": "summary", "language": "document_language"}
LISTS = {"tags": "tags", "dates": "dates"}
"""Keys of the reply -> keys of the metadata."""
RULES = {"summary_sentences": 3, "tag_count": 8}
MAX_LISTED = 10


@component
class LLMMetadataEnricher(AskingStage):
    """Finds out what documents are about, one call for each, by Haystack's `LLMMetadataExtractor`.

    What the file or its user says is kept: only what is missing is filled in. A document for which there is no usable
    reply gets what the rules of `MetadataEnricher` find, and its chunks say so in `degraded`. Prompts:
    `metadata.en.md`, `metadata.zh.md`, with one variable, `document`.

    :param generator: any Haystack chat generator, in YAML as `{type, init_parameters}`.
    :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
    :param max_characters: how much of a document's text the model reads, from its beginning, besides all headings.
    :param concurrency: calls at a time.
    :param attempts: calls for one document.
    :param timeout_s: seconds for one call.
    :param backoff_s: seconds before a failed call is repeated, at most; doubled each time.
    :param budget_s: seconds for all documents of one run; the rest falls back at once.
    :raises GraphError: when a number is out of range.
    """

    name = "metadata"
    version = "1"

    def __init__(
        self,
        generator: ChatGenerator,
        prompt_file: str | None = None,
        max_characters: int = 6000,
        concurrency: int = 4,
        attempts: int = 3,
        timeout_s: float = 60.0,
        backoff_s: float = 1.0,
        budget_s: float = 600.0,
    ) -> None:
        if max_characters < 1:
            raise ParameterError(f"LLMMetadataEnricher has max_characters={max_characters}", "give 1 or more")
        limits = (concurrency, attempts, timeout_s, backoff_s, budget_s)
        # Haystack makes another class of a component's, which `super()` does not know.
        AskingStage.__init__(self, generator, prompt_file, limits, max_characters=max_characters)
        self.max_characters = max_characters

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Enrich the chunks of each document.

        :param documents: chunks; those of one document are known by `doc_id`.
        :returns: `documents`: the same chunks with the metadata that `MetadataEnricher` gives, and `degraded` where
            rules stand in.
        :raises GraphError: when a prompt file cannot be used.
        """
        prompts = {language: prompt_text("metadata", language, self.prompt_file) for language in LANGUAGES}
        for prompt in prompts.values():
            _extractor(prompt, _refuse)
        groups = {doc_id: without_found(chunks) for doc_id, chunks in by_document(documents).items()}
        outcomes = self._ask([self._task(doc_id, chunks, prompts) for doc_id, chunks in groups.items()])
        done: dict[str, Document] = {}
        for chunks, outcome in zip(groups.values(), outcomes, strict=True):
            done.update((chunk.id, chunk) for chunk in _enriched(chunks, outcome))
        return {"documents": [done[chunk.id] for chunk in documents]}

    def _task(self, doc_id: str, chunks: list[Document], prompts: dict[str, str]) -> Task:
        headings = dict.fromkeys(on_one_line(c.meta.get("section") or "") for c in chunks)
        outline = "\n".join([on_one_line(chunks[0].meta.get("title") or ""), *headings]).strip()
        running = running_text([replace(c, content=original_text(c)) for c in chunks])
        text = without_turns(f"{outline[: self.max_characters]}\n\n{running[: self.max_characters]}".strip())
        languages = [c.meta.get("language") for c in chunks]
        prompt = prompts[prompt_language(max(languages, key=languages.count))]
        document = Document(content=text, meta={"fence": fence(text)})

        def work(ask: Ask) -> dict[str, Any]:
            extracted = _extractor(prompt, ask).run(documents=[document])
            return _checked(extracted["documents"][0].meta)

        return Task(doc_id, [prompt, text], work)


class _Asking:
    """What the extractor takes for a chat generator."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def run(self, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        text = reply_text(self._ask(messages))
        _refuse_other_than_asked(text)
        return {"replies": [ChatMessage.from_assistant(text)]}


def _refuse_other_than_asked(text: str) -> None:
    """Refuse a reply that the extractor would refuse too: it would log all of it, and what it repeats of the document.

    :raises UnusableReplyError: naming what is wrong without quoting.
    """
    try:
        reply = json.loads(text)
    except ValueError:
        raise UnusableReplyError("the reply is no JSON") from None
    missing = [key for key in (*STRINGS, *LISTS) if key not in reply] if isinstance(reply, dict) else ["an object"]
    if missing:
        raise UnusableReplyError(f"the reply is not the JSON that was asked for: it lacks {', '.join(missing)}")


def _extractor(prompt: str, ask: Ask) -> LLMMetadataExtractor:
    try:
        return LLMMetadataExtractor(
            prompt=prompt,
            chat_generator=_Asking(ask),  # type: ignore[arg-type]
            expected_keys=[*STRINGS, *LISTS],
            raise_on_failure=True,
            max_workers=1,
        )
    except Exception as error:  # of Jinja, or of the extractor that counts the variables
        raise GraphError(
            f"prompt 'metadata' cannot be used ({error})",
            "give a Jinja template whose only variable is 'document'",
            code="prompt_invalid",
        ) from error


def _refuse(_: list[ChatMessage]) -> str:
    raise UnusableReplyError("nobody is asked")


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, name in STRINGS.items():
        if not isinstance(reply[key], str):
            raise UnusableReplyError(f"{key!r} in the reply is no text")
        found[name] = " ".join(reply[key].split())
    for key, name in LISTS.items():
        if not isinstance(reply[key], list) or not all(isinstance(entry, str) for entry in reply[key]):
            raise UnusableReplyError(f"{key!r} in the reply is no list of texts")
        found[name] = list(dict.fromkeys(entry.strip() for entry in reply[key] if entry.strip()))[:MAX_LISTED]
    if not found["summary"]:
        raise UnusableReplyError("'summary' in the reply is empty")
    return found


def _enriched(chunks: Sequence[Document], outcome: Outcome) -> list[Document]:
    chunks = [replace(c, meta=with_stage(c.meta, "metadata", outcome.reason)) for c in chunks]
    return with_metadata(chunks, found_by_rules(chunks, **RULES) if outcome.reason else outcome.value)
