"""Documents and chunks in a catalog, without any index."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Document

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.documents import doc_id_of


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def new_document(
    name: str, texts: list[str], collection: str = "docs", extra: dict[str, Any] | None = None, **meta: Any
) -> NewDocument:
    source = f"/files/{name}.md"
    doc_id = doc_id_of(collection, source)
    chunks = [
        Document(
            id=digest(doc_id + text),
            content=text,
            embedding=[0.0],
            meta={
                "doc_id": doc_id, "source": source, "doc_type": "markdown", "title": name, "section": "A > B",
                "page": None, "pages": None, "start": 0, "end": len(text), "ordinal": ordinal, "language": "en",
                "sha256": digest(name), "size": 7, "recipe": "r1", "text_hash": digest(text), **(extra or {}), **meta,
            },
        )
        for ordinal, text in enumerate(texts)
    ]  # fmt: skip
    return NewDocument(doc_id, collection, chunks[0].meta, extra or {}, chunks)


@pytest.fixture
def catalog() -> Catalog:
    catalog = open_catalog()
    catalog.collections.create("docs")
    return catalog


@pytest.fixture
def publish(catalog: Catalog) -> Callable[..., NewDocument]:
    """Stage and publish a document; its chunks are visible afterwards."""

    def publish(name: str, texts: list[str], **more: Any) -> NewDocument:
        new = new_document(name, texts, **more)
        catalog.chunks.stage(new, "staged")
        catalog.chunks.publish(new)
        return new

    return publish


@pytest.fixture(scope="session")
def draft() -> Callable[..., NewDocument]:
    return new_document


@pytest.fixture
def in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the catalog of the test in a file, with --postgres, too: SQLite is meant, or indexes without replicas."""
    monkeypatch.delenv("KHUB_DATABASE_URL", raising=False)
