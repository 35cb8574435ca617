"""Say in words what the pictures of a document show, where they stand."""

import base64
import hashlib
from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent

from khub.components.catalog.picture import DocumentPicture
from khub.components.catalog.picture_caption import PictureCaption
from khub.components.enrichers.asking_stage import AskingStage
from khub.components.enrichers.captions import (
    ANCHOR,
    anchor_of,
    caption_by_rules,
    is_poor,
    stitched,
    text_around,
    unstitched,
)
from khub.components.enrichers.degraded import with_stage
from khub.components.enrichers.document_metadata import by_document, original_text
from khub.components.enrichers.image_kind import image_kind
from khub.components.enrichers.reply import reply_text
from khub.components.enrichers.stage import Ask, Outcome, Task
from khub.components.errors import ParameterError
from khub.components.model_servers.prompt import LANGUAGES, Prompt, fence, load_prompt, prompt_language

Key = tuple[str, str]
"""A chunk's id and an image id."""


@component
class ImageCaptioner(AskingStage):
    """Puts a description behind the mark of each picture, so that a question about what it shows finds the chunk.

    With a generator that sees, the model describes the picture; without one, or where it gives no usable reply, the
    caption line of the document, the alternative text and the text that OCR has read stand in (and the paragraph next
    to it, where the chunk is hardly more than the picture). Prompts: `caption.en.md`, `caption.zh.md`.

    :param generator: any Haystack chat generator of a model that sees, or None.
    :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
    :param max_characters: longest caption that is put into a chunk.
    :param concurrency: calls at a time.
    :param attempts: calls for one picture.
    :param timeout_s: seconds for one call.
    :param backoff_s: seconds before a failed call is repeated, at most; doubled each time.
    :param budget_s: seconds for all pictures of one run; the rest falls back at once.
    :raises GraphError: when a number is out of range.
    """

    name = "caption"
    version = "1"

    def __init__(
        self,
        generator: ChatGenerator | None = None,
        prompt_file: str | None = None,
        max_characters: int = 800,
        concurrency: int = 4,
        attempts: int = 3,
        timeout_s: float = 120.0,
        backoff_s: float = 1.0,
        budget_s: float = 600.0,
    ) -> None:
        if max_characters < 1:
            raise ParameterError(f"ImageCaptioner has max_characters={max_characters}", "give 1 or more")
        limits = (concurrency, attempts, timeout_s, backoff_s, budget_s)
        # Haystack makes another class of a component's, which `super()` does not know.
        AskingStage.__init__(self, generator, prompt_file, limits, max_characters=max_characters)
        self.max_characters = max_characters

    @component.output_types(documents=list[Document], pictures=list[DocumentPicture])
    def run(self, documents: list[Document], pictures: list[DocumentPicture] | None = None) -> dict[str, Any]:
        """Caption the pictures of each chunk.

        :param documents: chunks; those of one document in order. Those with `meta.image_refs` (list of image ids) are
            captioned. Captions of an earlier run are replaced.
        :param pictures: of their documents, as the converter or the OCR gives them; a mark without a picture stays as
            it is.
        :returns: `documents`, in the same order: `content` with captions, `meta.original` the text without them,
            `meta.captions` (image id -> `{"text", "kind", "by": "model"|"rules", "low_quality": bool}`), and
            `meta.degraded` where rules stand in for the model; `pictures`: those given, with their caption as
            `description`.
        :raises GraphError: when a prompt file cannot be used.
        """
        prompts = {language: load_prompt("caption", language, self.prompt_file) for language in LANGUAGES}
        placed = _placed(documents, pictures or [])
        tasks = {key: picture.task(prompts) for key, picture in placed.items()} if self.generator else {}
        outcomes = dict(zip(tasks, self._ask(list(tasks.values())), strict=True))
        captioned = [self._captioned(chunk, placed, outcomes) for chunk in documents]
        return {"documents": captioned, "pictures": _described(pictures or [], captioned)}

    def _captioned(self, chunk: Document, placed: dict[Key, "_Picture"], outcomes: dict[Key, Outcome]) -> Document:
        refs = list(dict.fromkeys(chunk.meta.get("image_refs") or []))
        if not refs:
            return chunk
        plain = content = unstitched(chunk)
        captions: dict[str, PictureCaption] = {}
        reasons: list[str] = []
        for ref in refs:
            if (chunk.id, ref) not in placed:
                continue
            outcome = outcomes.get((chunk.id, ref))
            if outcome and outcome.reason:
                reasons.append(outcome.reason)
            caption = placed[chunk.id, ref].caption(outcome, plain, self.max_characters)
            if caption["text"]:
                caption["appended"] = anchor_of(ref) not in plain
                captions[ref] = caption
                content = stitched(content, ref, caption["text"])
        noted = with_stage(chunk.meta, "caption", "; ".join(dict.fromkeys(reasons)))
        meta = {key: value for key, value in noted.items() if key != "captions"}
        if captions:
            meta |= {"captions": captions, "original": chunk.meta.get("original", plain)}
        return replace(chunk, content=content, meta=meta)


def _placed(chunks: list[Document], pictures: list[DocumentPicture]) -> dict[Key, "_Picture"]:
    by_id = {picture.image_id: picture for picture in pictures}
    placed: dict[Key, _Picture] = {}
    for group in by_document(chunks).values():
        contents = [original_text(chunk) for chunk in group]
        for index, chunk in enumerate(group):
            for image_id in dict.fromkeys(chunk.meta.get("image_refs") or []):
                if image := by_id.get(image_id):
                    placed[chunk.id, image_id] = _Picture(chunk, image, text_around(contents, index, image_id))
    return placed


def _described(pictures: list[DocumentPicture], chunks: list[Document]) -> list[DocumentPicture]:
    """Note on each picture its caption: of several (chunks overlap) the best, and of these the first."""
    found = [item for chunk in chunks for item in (chunk.meta.get("captions") or {}).items()]
    found.sort(key=lambda item: (item[1]["by"] != "model", item[1]["low_quality"]))
    captions = {image_id: caption["text"] for image_id, caption in reversed(found)}
    return [replace(picture, description=captions.get(picture.image_id, picture.description)) for picture in pictures]


class _Picture:
    def __init__(self, chunk: Document, image: DocumentPicture, around: str) -> None:
        self._chunk = chunk
        self._image = image
        self._around = around
        self._kind = image_kind(image, around)

    def task(self, prompts: dict[str, Prompt]) -> Task:
        values = {"caption": self._image.picture.caption, "around": self._around}
        prompt = prompts[prompt_language(self._chunk.meta.get("language"))]
        message = prompt.filled(kind=self._kind, fence=fence(*values.values()), **values)

        def work(ask: Ask) -> str:
            picture = ImageContent(
                base64_image=base64.b64encode(self._image.picture.data).decode("ascii"),
                mime_type=self._image.picture.mime,
                validation=False,
            )
            return reply_text(ask([ChatMessage.from_user(content_parts=[message, picture])]))

        digest = hashlib.sha256(self._image.picture.data).hexdigest()
        return Task(str(self._chunk.meta.get("doc_id") or self._chunk.id), [message, digest], work)

    def caption(self, outcome: Outcome | None, content: str, longest: int) -> PictureCaption:
        language = self._chunk.meta.get("language")
        by_rules = caption_by_rules(self._image, content, self._around)
        if outcome is None or outcome.reason:
            return {"text": _one_block(by_rules, longest), "kind": self._kind, "by": "rules", "low_quality": False}
        poor = is_poor(outcome.value, language)
        text = f"{by_rules}\n{outcome.value}" if poor and by_rules else outcome.value
        return {"text": _one_block(text, longest), "kind": self._kind, "by": "model", "low_quality": poor}


def _one_block(text: str, longest: int) -> str:
    """Cut a caption to its length, and keep its lines together and apart from Markdown's structure."""
    lines = [line.strip().lstrip("#>").strip() for line in ANCHOR.sub("", text).splitlines()]
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
