"""Complete what a client types into an address or a prompt: collections, documents, sections."""

from typing import Any

from mcp.server import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from khub.server.mcp import links
from khub.server.mcp.warm_up import WarmUp

MOST = 100
"""As many values as a completion may hold."""

DOCUMENT_TEMPLATES = (links.DOCUMENT, links.SECTION, links.PAGE, links.IMAGE_OF_DOCUMENT)


def add_completions(server: MCPServer, warm_up: WarmUp) -> None:
    """Let a server complete collections, documents, sections and pages.

    :param warm_up: is waited for.
    """

    async def complete(
        reference: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion:
        await warm_up.finished()
        known = dict((context.arguments if context else None) or {})
        found = _values(_meaning(reference, argument.name), argument.value, known)
        return Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)

    server.completion()(complete)


def _meaning(reference: PromptReference | ResourceTemplateReference, name: str) -> str:
    """Return what an argument stands for: a collection, document, section or page; empty for anything else."""
    if isinstance(reference, ResourceTemplateReference):
        if name == "id":
            return "document" if reference.uri in DOCUMENT_TEMPLATES else ""
        return {"collection": "collection", "path": "section", "n": "page", "image": "image"}.get(name, "")
    if name == "collection":
        return name
    return "document" if name.endswith("document") else ""


def _values(meaning: str, typed: str, known: dict[str, Any]) -> list[str]:
    if meaning == "collection":
        return _collections(typed)
    if meaning == "document":
        return _documents(typed)
    return _parts(meaning, typed, str(known.get("id") or "")) if meaning else []


def _collections(typed: str) -> list[str]:
    from khub.server.reads.hub_reads import collections

    names = collections().names()
    return [name for name in names if typed.casefold() in name.casefold()]


def _documents(typed: str) -> list[str]:
    """Return ids of documents whose id begins so, or whose title or path holds what is typed."""
    from khub.server.reads.hub_reads import reader

    return reader().document_ids(typed, MOST + 1)


def _parts(meaning: str, typed: str, doc_id: str) -> list[str]:
    from khub.server.reads.hub_reads import catalog_of_hub, reader
    from khub.server.reads.outline import outline

    row = reader().document(doc_id)
    if row is None:
        return []
    if meaning == "section":
        values = [section["path"] for section in outline(reader().sections(doc_id), depth=6)]
        return [value for value in values if typed.casefold() in value.casefold()]
    if meaning == "image":
        return [image for image in catalog_of_hub().images.opened(doc_id) if image.startswith(typed)]
    pages = [number for number in range(1, (row["pages"] or 0) + 1) if str(number).startswith(typed)]
    return [str(number) for number in pages if reader().page_is_opened(doc_id, number)]
