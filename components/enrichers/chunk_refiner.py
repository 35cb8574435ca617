"""Rewrite chunks by a language model so that each can be understood on its own."""

from collections.abc import Sequence
from dataclasses import replace

from haystack import Document, component
from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage

from khub.components.enrichers.asking_stage import AskingStage
from khub.components.enrichers.broken_lines import join_broken_lines
from khub.components.enrichers.captions import unstitched
from khub.components.enrichers.degraded import with_stage
from khub.components.enrichers.document_metadata import by_document
from khub.components.enrichers.faithful import refuse_unfaithful
from khub.components.enrichers.reply import reply_text
from khub.components.enrichers.stage import Ask, Outcome, Task
from khub.components.errors import ParameterError
from khub.components.model_servers.prompt import LANGUAGES, Prompt, fence, load_prompt, prompt_language
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.tokenizer import tokenize

NEIGHBOUR_CHARACTERS = 400
"""How much of the chunks before and after a model is shown."""


@component
class ChunkRefiner(AskingStage):
    """Joins what a page break cut, drops noise and spells references out; the original stays beside the refined.

    A reply that loses or invents something is not taken. In a chunk for which there is no usable reply
    only broken lines are joined (`broken_lines`), and it says so in `degraded`. Prompts: `refine.en.md`,
    `refine.zh.md`.

    :param generator: any Haystack chat generator, in YAML as `{type, init_parameters}`.
    :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
    :param min_kept: share (0 to 1) of a chunk's words that the refined text must still have.
    :param min_grounded: share (0 to 1) of the refined text's words that the chunk, its neighbours or its headings must
        have.
    :param concurrency: calls at a time.
    :param attempts: calls for one chunk.
    :param timeout_s: seconds for one call.
    :param backoff_s: seconds before a failed call is repeated, at most; doubled each time.
    :param budget_s: seconds for all chunks of one run; the rest falls back at once.
    :raises GraphError: when a number is out of range.
    """

    name = "refine"
    version = "1"

    def __init__(
        self,
        generator: ChatGenerator,
        prompt_file: str | None = None,
        min_kept: float = 0.6,
        min_grounded: float = 0.8,
        concurrency: int = 4,
        attempts: int = 3,
        timeout_s: float = 60.0,
        backoff_s: float = 1.0,
        budget_s: float = 600.0,
    ) -> None:
        if not (0 <= min_kept <= 1 and 0 <= min_grounded <= 1):
            raise ParameterError(
                f"ChunkRefiner has min_kept={min_kept}, min_grounded={min_grounded}", "give shares from 0 to 1"
            )
        limits = (concurrency, attempts, timeout_s, backoff_s, budget_s)
        # Haystack makes another class of a component's, which `super()` does not know.
        AskingStage.__init__(self, generator, prompt_file, limits, min_kept=min_kept, min_grounded=min_grounded)
        self.min_kept = min_kept
        self.min_grounded = min_grounded

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Refine each chunk.

        :param documents: chunks; those of one document in order. One that was refined before is refined from what it
            was before that; captions go (`ImageCaptioner` belongs behind this stage).
        :returns: `documents`, in the same order: `content` refined; where it changed, `meta.refined` and the text as
            it was split in `meta.original` (and in `meta.refined_from` what a cleaner made of that); `meta.degraded`
            where rules stand in. Ids, offsets and `content_hash` stay those of the original.
        :raises GraphError: when a prompt file cannot be used.
        """
        prompts = {language: load_prompt("refine", language, self.prompt_file) for language in LANGUAGES}
        chunks = [_as_split(chunk) for chunk in documents]
        tasks: dict[str, Task] = {}
        for group in by_document(chunks).values():
            for index, chunk in enumerate(group):
                if tokenize(chunk.content or ""):
                    tasks[chunk.id] = self._task(group, index, prompts)
        outcomes = dict(zip(tasks, self._ask(list(tasks.values())), strict=True))
        return {"documents": [_refined(chunk, outcomes.get(chunk.id)) for chunk in chunks]}

    def _task(self, group: Sequence[Document], index: int, prompts: dict[str, Prompt]) -> Task:
        chunk = group[index]
        text = chunk.content or ""
        values = {
            "title": on_one_line(chunk.meta.get("title") or ""),
            "section": on_one_line(chunk.meta.get("section") or ""),
            "before": (group[index - 1].content or "")[-NEIGHBOUR_CHARACTERS:] if index else "",
            "after": (group[index + 1].content or "")[:NEIGHBOUR_CHARACTERS] if index + 1 < len(group) else "",
        }
        context = "\n".join(values.values())
        language = prompt_language(chunk.meta.get("language"))
        message = prompts[language].filled(text=text, fence=fence(text, *values.values()), **values)

        def work(ask: Ask) -> str:
            refined = reply_text(ask([ChatMessage.from_user(message)]))
            refuse_unfaithful(refined, text, context, self.min_kept, self.min_grounded)
            return refined

        return Task(str(chunk.meta.get("doc_id") or chunk.id), [message, self.min_kept, self.min_grounded], work)


def _as_split(chunk: Document) -> Document:
    """Undo an earlier refinement, and captions, which belong behind it."""
    meta = {key: value for key, value in chunk.meta.items() if key not in {"captions", "refined", "refined_from"}}
    if not chunk.meta.get("refined"):
        return replace(chunk, content=unstitched(chunk), meta=meta) if chunk.meta.get("captions") else chunk
    if "refined_from" in chunk.meta:
        return replace(chunk, content=chunk.meta["refined_from"], meta=meta)
    return replace(chunk, content=meta.pop("original"), meta=meta)


def _refined(chunk: Document, outcome: Outcome | None) -> Document:
    meta = with_stage(chunk.meta, "refine", outcome.reason if outcome else "")
    if outcome and outcome.reason:
        refined = chunk.content if chunk.meta.get("doc_type") == "code" else join_broken_lines(chunk.content or "")
    else:
        refined = outcome.value if outcome else chunk.content
    if refined == chunk.content:
        return replace(chunk, meta=meta)
    kept = {"refined_from": chunk.content} if "original" in meta else {"original": chunk.content}
    return replace(chunk, content=refined, meta={**meta, **kept, "refined": True})
