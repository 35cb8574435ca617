"""The outline of a document: its sections down to a depth, with what lies in them."""

from khub.components.catalog.section_row import SectionRow
from khub.components.errors import CollectionError
from khub.server.reads.heading_names import is_called, nearest_headings
from khub.server.reads.outline_section import OutlineSection

STEP = " > "
ANY_DEPTH = 100
MOST_NAMED = 5
"""So many sections are named where several could be meant."""


def outline(sections: list[SectionRow], depth: int) -> list[OutlineSection]:
    """Return every section down to a depth, in the order of the text, with all below it counted.

    :param sections: those that have text of their own, as `CatalogReader.sections` returns them.
    """
    found: dict[str, OutlineSection] = {}
    for section in sections:
        steps = section["path"].split(STEP) if section["path"] else []
        for level in range(1, min(len(steps), depth) + 1):
            path = STEP.join(steps[:level])
            entry = found.setdefault(path, {"path": path, "level": level, "chunks": 0, "characters": 0, "pages": None})
            entry["chunks"] += section["chunks"]
            entry["characters"] += section["characters"]
            entry["pages"] = _wider(entry["pages"], section["page_first"], section["page_last"])
    return list(found.values())


def main_headings(sections: list[SectionRow]) -> list[str]:
    """Return the headings of the highest level that has more than one: the only one above is most often the title.

    :param sections: those that have text of their own.
    """
    found = outline(sections, ANY_DEPTH)
    level = 1
    while sum(entry["level"] == level for entry in found) == 1 and any(entry["level"] > level for entry in found):
        level += 1
    return [entry["path"].split(STEP)[-1] for entry in found if entry["level"] == level]


def section_path(sections: list[SectionRow], name: str) -> str:
    """Return the heading path that a name means: the path itself, or its last headings, as an outline shows them.

    Where none is called exactly so, case, white space and numbering count for nothing (`error codes` or `5` for
    `5 Error codes`).

    :param sections: those that have text of their own.
    :param name: what the section is called; empty for the whole document.
    :raises CollectionError: naming the nearest, if no section is called so, or several are.
    """
    paths = [section["path"] for section in outline(sections, ANY_DEPTH)]
    if not name or name in paths:
        return name
    exact = [path for path in paths if path.endswith(STEP + name)]
    meant = exact or [path for path in paths if is_called(path.split(STEP), name)]
    if len(meant) == 1:
        found: str = meant[0]
        return found
    if meant:
        shown = "; ".join(meant[:MOST_NAMED])
        raise CollectionError(
            f"{len(meant)} sections are called {name[:200]!r}",
            f"give the whole path: {shown}",
            code="section_ambiguous",
        )
    near = nearest_headings([path.split(STEP)[-1] for path in paths], name)
    shown = f"the nearest are {'; '.join(map(repr, near))}; " if near else ""
    raise CollectionError(
        f"the document has no section {name[:200]!r}",
        f"{shown}describe lists them all, with its doc_id",
        code="section_unknown",
    )


def _wider(pages: list[int] | None, first: int | None, last: int | None) -> list[int] | None:
    if first is None or last is None:
        return pages
    return [min(pages[0], first), max(pages[1], last)] if pages else [first, last]
