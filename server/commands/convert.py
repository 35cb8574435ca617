"""`khub convert`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.server.commands.options import JsonOption
from khub.server.terminal import count, tell, write_json, write_text

if TYPE_CHECKING:
    from khub.components.catalog.picture import DocumentPicture

PAGES_SHOWN = 20


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to read.")],
    graph: Annotated[
        str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' whose converter reads it.")
    ] = "ingest",
    as_json: JsonOption = False,
) -> None:
    """Print what a file becomes: Markdown, with a line where each page begins; no document is stored.

    Scans and pictures are read by the graph's OCR stage, where it is installed.

    What was left out, pictures, and pages that need OCR are told on standard error.

    Example: khub convert report.pdf > report.md
    """
    from khub.server.library.convert import convert_file, with_page_marks
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    converted = convert_file(file, graph)
    document = converted.document
    if as_json:
        write_json(
            {
                "graph": converted.graph,
                "text": document.content,
                "meta": document.meta,
                "pictures": [_shown(picture) for picture in converted.pictures],
            }
        )
        return
    for note in notes(document.meta, converted.pictures):
        tell(*note)
    write_text(with_page_marks(document))


def notes(meta: dict[str, Any], pictures: "list[DocumentPicture]") -> list[tuple[str, str]]:
    """Return what there is to say of a converted file beside its text: (what, which or how many)."""
    from khub.components.converters.encoding_notes import GUESSED

    said = []
    if guessed := meta.get(GUESSED):
        said.append((f"read as {guessed}", "a guess: nothing in the file says so"))
    if removed := meta.get("removed"):
        said.append(("left out", ", ".join(f"{number:,} {what}" for what, number in removed.items())))
    shown = [picture for picture in pictures if picture.picture.kind != "page"]
    if shown:
        said.append(("in it", count(len(shown), "picture")))
    for key, what in (
        ("needs_ocr", "pages that need OCR"),
        ("garbled_pages", "of these, pages whose fonts do not say what they mean"),
        ("empty_pages", "pages without text"),
        ("damaged_pages", "pages that cannot be read"),
    ):
        if pages := meta.get(key):
            said.append((what, _pages(pages)))
    return said


def _pages(pages: list[int]) -> str:
    more = len(pages) - PAGES_SHOWN
    return ", ".join(map(str, pages[:PAGES_SHOWN])) + (f" and {more:,} more" if more > 0 else "")


def _shown(picture: "DocumentPicture") -> dict[str, Any]:
    fields = picture.picture.to_dict()
    del fields["data"]
    return {"image_id": picture.image_id, **fields, "size": len(picture.picture.data)}
