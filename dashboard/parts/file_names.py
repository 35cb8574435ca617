"""Files as people know them: what was sent by its own path, not by where the hub keeps it."""

from pathlib import Path

from khub.components.text.hidden_characters import for_terminal
from khub.server.library.uploads import uploads_of


def file_name(source: str, collection: str) -> str:
    """Return a document's source on one line: of a file that was sent the path that it was sent by."""
    path, uploads = Path(source), uploads_of(collection)
    shown = str(path.relative_to(uploads)) if path.is_relative_to(uploads) else source
    return " ".join(for_terminal(shown).split())
