"""What a converter of the hub hands through MarkItDown beside the text."""

from typing import Any

from markitdown import DocumentConverterResult

from khub.components.catalog.picture import Picture


class StructuredResult(DocumentConverterResult):
    """A result whose metadata, pictures and pages survive MarkItDown's own trimming of the text.

    :param markdown: the whole text; not used when there are `pages`.
    :param title: the document's own title.
    :param metadata: what the document says of itself (author, created, ...): JSON scalars or lists of strings.
    :param pictures: in order; each stands in the text as a `PICTURE_MARK`.
    :param pages: text of each page, for formats that have pages; empty where there is none.
    :param heading_is_title: whether the first level-1 heading is the title where there is no other.
    :param removed: how many words were left out on purpose, by what they were.
    """

    def __init__(
        self,
        markdown: str = "",
        *,
        title: str | None = None,
        metadata: dict[str, Any] | None = None,
        pictures: list[Picture] | None = None,
        pages: list[str] | None = None,
        heading_is_title: bool = True,
        removed: dict[str, int] | None = None,
    ) -> None:
        super().__init__(markdown=markdown, title=title)
        self.metadata = {key: value for key, value in (metadata or {}).items() if value not in (None, "", [])}
        self.pictures = pictures or []
        self.pages = pages
        self.heading_is_title = heading_is_title
        self.removed = {key: count for key, count in (removed or {}).items() if count}
