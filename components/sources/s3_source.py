"""The files in an object store: `s3://bucket/prefix`, `gs://…`, `az://…`."""

from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path, PurePosixPath

import obstore
from obstore.exceptions import BaseError
from obstore.store import from_url

from khub.components.errors import SourceError
from khub.components.private_files import owners_alone
from khub.components.sources.source import Item, KnownItem, Notes, Options
from khub.components.text.hidden_names import is_hidden


class Source:
    """Lists a bucket below a prefix; region, endpoint and keys come from the environment (AWS_…, GOOGLE_…, AZURE_…).

    :param address: as the store's own tools write it.
    :param options: as for all sources.
    """

    SETTINGS = ()

    def __init__(self, address: str, options: Options) -> None:
        self._address = address.rstrip("/")
        self._options = options
        try:
            self._store = from_url(address, client_options={"allow_http": True} if options.private else None)
        except (BaseError, ValueError) as error:
            raise SourceError(
                f"{address!r} names no object store ({error})", "write it like s3://bucket/prefix"
            ) from error

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:  # noqa: ARG002 - see `Source`
        """Yield the files whose kind is read."""
        try:
            for page in obstore.list(self._store):
                for about in page:
                    name = about["path"]
                    if not self._is_wanted(name, about["size"], notes):
                        continue
                    time = about["last_modified"].astimezone(UTC).isoformat()
                    version = about.get("e_tag") or f"{time}-{about['size']}"
                    yield Item(name, name, version, f"{self._address}/{name}", time)
        except (BaseError, OSError) as error:
            raise self._failed(error) from error

    def read(self, item: Item, target: Path) -> None:
        """Fetch a file."""
        try:
            with open(target, "wb", opener=owners_alone) as file:
                file.writelines(map(bytes, obstore.get(self._store, item.id).stream()))
        except (BaseError, OSError) as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Do nothing: the store closes its connections itself."""

    def _is_wanted(self, name: str, size: int, notes: Notes) -> bool:
        path = PurePosixPath(name)
        if any(map(is_hidden, path.parts)):
            return False
        if reason := self._options.why_not(name, size):
            notes.leave_out(name, reason)
        return not reason

    def _failed(self, error: Exception) -> SourceError:
        said = " ".join(str(error).split())[:200]
        return SourceError(
            f"{self._address} cannot be read ({said})",
            "see that the bucket is there, and that the environment holds its region, endpoint and keys",
            code="url_unreachable",
        )
