"""What identifies a file and its content, without the catalog."""

import hashlib
from pathlib import Path

from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.source_record import SourceRecord
from khub.components.converters.source_reader import check_source
from khub.components.errors import SourceError


def source_record(path: str, collection: str) -> SourceRecord:
    """Return `{"path", "doc_id", "sha256", "size"}` of a file, as `IntegrityCheck` makes it.

    :param path: absolute.
    :param collection: the collection that it would go into.
    :raises SourceError: if it is missing, empty, no regular file, or cannot be read.
    """
    file = Path(path)
    check_source(file, float("inf"))
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
    except OSError as error:
        raise SourceError(f"{path!r} cannot be read ({error.strerror})", "check that you may read it") from error
    return {"path": path, "doc_id": doc_id_of(collection, path), "sha256": digest, "size": size}
