"""`khub images`."""

from pathlib import Path
from typing import Annotated

import typer

from khub.server.commands.options import AskedCollectionOption, JsonOption
from khub.server.terminal import tell, write_json, write_table

SEARCHED = 20
WORDS = 60


def find_images(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="Words of the picture, or of what stands around it.")
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A picture like it: a copy, a part, a screenshot; or an image id of the hub.",
        ),
    ] = None,
    collection: AskedCollectionOption = None,
    top_k: Annotated[int, typer.Option("--top-k", "-k", metavar="N", min=1, max=100, help="Pictures to name.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Find pictures of the documents, by words or by a picture like them.

    Example: khub images --like screenshot.png
    """
    if (text is None) == (like is None):
        raise typer.BadParameter("give the words of a picture, or --like FILE", param_hint="TEXT")

    from khub.server.hub import Hub
    from khub.server.questions.pictures import pictures_by_words, pictures_like
    from khub.server.reads.example_picture import IMAGE_ID, file_example, stored_example
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    if like is not None:
        stored = IMAGE_ID.fullmatch(like) and not Path(like).exists()
        found = pictures_like(stored_example(like) if stored else file_example(Path(like)), collection, top_k)
    else:
        found = pictures_by_words(text or "", Hub().ask(text or "", collection, top_k=SEARCHED), top_k)
    if as_json:
        write_json(found.as_data())
        return
    for entry in found.degraded:
        tell(f"degraded: {entry['stage']}", entry["reason"])
    if found.hint:
        tell(found.hint)
    if not found.pictures:
        tell("no picture was found")
        return
    rows = found.as_data()["images"]
    paths = {picture["image_id"]: picture["path"] for picture in found.pictures}
    write_table(
        ("score", "page", "document", "words", "file"),
        [
            (row["score"], row["page"], row["title"], _on_a_line(row["words"] or row["around"]), paths[row["image_id"]])
            for row in rows
        ],
        right=("score", "page"),
    )


def _on_a_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= WORDS else f"{words[:WORDS]}…"
