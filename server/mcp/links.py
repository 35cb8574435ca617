"""The addresses under which a client reads what the hub holds."""

from typing import Any
from urllib.parse import quote

from mcp_types import ResourceLink

COLLECTIONS = "khub://collections"
DOCUMENTS = "khub://{collection}/documents"
DOCUMENT = "khub://doc/{id}"
SECTION = "khub://doc/{id}/section/{path}"
PAGE = "khub://doc/{id}/page/{n}"
IMAGE_OF_DOCUMENT = "khub://doc/{id}/image/{image}"
IMAGE = "khub://image/{id}"
CHUNK = "khub://chunk/{id}"
MARKDOWN = "text/markdown"


def address(template: str, **values: object) -> str:
    """Return a template with its variables filled in, each escaped as a whole (a section may hold slashes)."""
    return template.format_map({name: quote(str(value), safe="") for name, value in values.items()})


def citation_links(citation: dict[str, Any]) -> list[ResourceLink]:
    """Return the link to the passage of a citation."""
    from components.text.hidden_characters import in_quotes

    place = [citation["title"], *([citation["section"]] if citation["section"] else [])]
    if citation["page"] is not None:
        place.append(f"p. {citation['page']}")
    return [
        ResourceLink(
            type="resource_link",
            uri=address(CHUNK, id=citation["chunk_id"]),
            name=f"[{citation['id']}] {in_quotes(citation['title'])}",
            description=in_quotes(" · ".join(place)),
            mime_type=MARKDOWN,
        )
    ]


def link(uri: str, name: str, description: str = "", mime_type: str = MARKDOWN) -> ResourceLink:
    """Return a link to something that can be read, so that a result need not hold it."""
    from components.text.hidden_characters import on_one_line

    name, about = on_one_line(name), on_one_line(description) or None
    return ResourceLink(type="resource_link", uri=uri, name=name, description=about, mime_type=mime_type)
