"""The addresses under which a client reads what the hub holds."""

from urllib.parse import quote

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
