"""The outline of a document: its sections down to a depth, with what lies in them."""

from typing import Any

from components.errors import CollectionError
from server.mcp.cursors import cursor_at, offset_of
from server.mcp.links import SECTION, address

PAGE_SIZE = 100
STEP = " > "
ANY_DEPTH = 100
MOST_NAMED = 5
"""So many sections are named where several could be meant."""


def outline_page(doc_id: str, depth: int, cursor: str | None) -> dict[str, Any]:
    """Return a page of a document's outline.

    :param depth: levels of headings; what lies deeper is counted with the section above it.
    :param cursor: of the page before; None for the first.
    :raises CollectionError: if there is no such document.
    :raises MCPError: if the cursor is not one of this list.
    """
    from server.mcp.hub_reads import document_of, reader, title_of

    row = document_of(doc_id)
    of = f"sections of {doc_id} to {depth}"
    offset = offset_of(cursor, of)
    sections = outline(reader().sections(doc_id), depth)
    page = [{**section, "uri": address(SECTION, id=doc_id, path=section["path"])} for section in sections]
    left = len(sections) > offset + PAGE_SIZE
    return {
        "doc_id": doc_id,
        "title": title_of(row),
        "total": len(sections),
        "sections": page[offset : offset + PAGE_SIZE],
        "next_cursor": cursor_at(offset + PAGE_SIZE, of) if left else None,
    }


def outline(sections: list[dict[str, Any]], depth: int) -> list[dict[str, Any]]:
    """Return every section down to a depth, in the order of the text, with all below it counted.

    :param sections: those that have text of their own, as `CatalogReader.sections` returns them.
    """
    found: dict[str, dict[str, Any]] = {}
    for section in sections:
        steps = section["path"].split(STEP) if section["path"] else []
        for level in range(1, min(len(steps), depth) + 1):
            path = STEP.join(steps[:level])
            entry = found.setdefault(path, {"path": path, "level": level, "chunks": 0, "characters": 0, "pages": None})
            entry["chunks"] += section["chunks"]
            entry["characters"] += section["characters"]
            entry["pages"] = _wider(entry["pages"], section["page_first"], section["page_last"])
    return list(found.values())


def main_headings(sections: list[dict[str, Any]]) -> list[str]:
    """Return the headings of the highest level that has more than one: the only one above is most often the title.

    :param sections: those that have text of their own.
    """
    found = outline(sections, ANY_DEPTH)
    level = 1
    while sum(entry["level"] == level for entry in found) == 1 and any(entry["level"] > level for entry in found):
        level += 1
    return [entry["path"].split(STEP)[-1] for entry in found if entry["level"] == level]


def section_path(sections: list[dict[str, Any]], name: str) -> str:
    """Return the heading path that a name means: the path itself, or its last headings, as an outline shows them.

    :param sections: those that have text of their own.
    :param name: what the section is called; returned as it is where nothing is called so.
    :raises CollectionError: if several sections are called so.
    """
    paths = [section["path"] for section in outline(sections, ANY_DEPTH)]
    if not name or name in paths:
        return name
    meant = [path for path in paths if path.endswith(STEP + name)]
    if len(meant) > 1:
        shown = "; ".join(meant[:MOST_NAMED])
        raise CollectionError(f"{len(meant)} sections are called {name[:200]!r}", f"give the whole path: {shown}")
    return meant[0] if meant else name


def outline_text(data: dict[str, Any]) -> str:
    """Return a page of an outline as a Markdown list."""
    from components.text.hidden_characters import in_quotes

    lines = []
    for section in data["sections"]:
        name, count = section["path"].split(STEP)[-1], section["chunks"]
        place = f"{count} passage{'s' * (count != 1)}{page_range(section['pages'])}"
        lines.append(f"{'  ' * (section['level'] - 1)}- {in_quotes(name)} ({place})")
    head = f"**{in_quotes(data['title'])}**: {data['total'] or 'no'} sections"
    more = f"More with cursor `{data['next_cursor']}`." if data["next_cursor"] else ""
    return "\n\n".join(part for part in (head, "\n".join(lines), more) if part)


def page_range(pages: list[int] | None) -> str:
    """Return `, page 3` or `, pages 3-5`; nothing where there are no pages."""
    if pages is None:
        return ""
    return f", page {pages[0]}" if pages[0] == pages[1] else f", pages {pages[0]}-{pages[1]}"


def _wider(pages: list[int] | None, first: int | None, last: int | None) -> list[int] | None:
    if first is None or last is None:
        return pages
    return [min(pages[0], first), max(pages[1], last)] if pages else [first, last]
