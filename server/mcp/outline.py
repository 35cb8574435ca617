"""The outline of a document as the tools show it, page by page."""

from khub.server.mcp.cursors import cursor_at, offset_of
from khub.server.mcp.links import SECTION, address
from khub.server.mcp.outline_page import OutlinePage, ShownSection
from khub.server.reads.outline import STEP, outline

PAGE_SIZE = 100


def outline_page(doc_id: str, depth: int, cursor: str | None) -> OutlinePage:
    """Return a page of a document's outline.

    :param doc_id: the document, or what it is called.
    :param depth: levels of headings; what lies deeper is counted with the section above it.
    :param cursor: of the page before; None for the first.
    :raises CollectionError: if there is no such document.
    :raises MCPError: if the cursor is not one of this list.
    """
    from khub.server.reads.hub_reads import document_meant, reader, title_of

    row = document_meant(doc_id)
    doc_id = row["doc_id"]
    of = f"sections of {doc_id} to {depth}"
    offset = offset_of(cursor, of)
    sections = outline(reader().sections(doc_id), depth)
    page: list[ShownSection] = [
        {**section, "uri": address(SECTION, id=doc_id, path=section["path"])} for section in sections
    ]
    left = len(sections) > offset + PAGE_SIZE
    return {
        "doc_id": doc_id,
        "title": title_of(row),
        "total": len(sections),
        "sections": page[offset : offset + PAGE_SIZE],
        "next_cursor": cursor_at(offset + PAGE_SIZE, of) if left else None,
    }


def outline_text(data: OutlinePage) -> str:
    """Return a page of an outline as a Markdown list."""
    from khub.components.text.hidden_characters import in_quotes

    lines = []
    for section in data["sections"]:
        name, count = section["path"].split(STEP)[-1], section["chunks"]
        place = f"{count} passage{'s' * (count != 1)}{page_range(section['pages'])}"
        lines.append(f"{'  ' * (section['level'] - 1)}- {in_quotes(name)} ({place})")
    head = f"**{in_quotes(data['title'])}** (doc_id `{data['doc_id']}`): {data['total'] or 'no'} sections"
    more = f"More: the same with cursor `{data['next_cursor']}`." if data["next_cursor"] else ""
    return "\n\n".join(part for part in (head, "\n".join(lines), more) if part)


def page_range(pages: list[int] | None) -> str:
    """Return `, page 3` or `, pages 3-5`; nothing where there are no pages."""
    if pages is None:
        return ""
    return f", page {pages[0]}" if pages[0] == pages[1] else f", pages {pages[0]}-{pages[1]}"
