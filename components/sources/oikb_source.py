"""What the connectors of the package oikb reach: `confluence:SPACE`, `github:owner/name`, `notion:…` and forty more."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oikb.cli import _resolve_connector
from oikb.connectors import SourceFileUnavailable
from oikb.connectors.filesystem import FilesystemConnector

from khub.components.errors import MissingLibraryError, SourceError
from khub.components.private_files import owners_alone
from khub.components.sources.address import KINDS
from khub.components.sources.source import Item, KnownItem, Notes, Options
from khub.components.text.shown_address import without_credentials


class Source:
    """Lists and reads by a connector of oikb, whose keys are variables of the environment that it names itself.

    Such a source does not say who may read what: the level has to be given.

    :param address: as oikb writes it.
    :param options: `branch` and `path` beside what holds for all sources.
    """

    SETTINGS = ("branch", "path")
    NEEDS_LEVEL = True

    def __init__(self, address: str, options: Options) -> None:
        self._address = address
        self._options = options
        more = options.more
        try:
            self._connector: Any = _resolve_connector(address, more.get("branch"), more.get("path"))
        except ImportError as error:
            raise MissingLibraryError(f"{address!r} cannot be opened ({error})", "install what it names") from error
        except (FileNotFoundError, NotADirectoryError):
            self._connector = None
        except Exception as error:
            raise self._failed(error, "set the variables that its connector names") from error
        if isinstance(self._connector, FilesystemConnector | None):  # it takes what it does not know for a folder
            raise SourceError(f"{address!r} is no address of a source", KINDS)

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield what the connector lists; an empty list is not believed."""
        try:
            entries = self._connector.build_manifest()
        except Exception as error:
            raise self._failed(error, "check its keys and the network") from error
        if not entries and known:
            notes.incomplete.append("it lists nothing at all")
        for entry in entries:
            name = entry.display_path
            if reason := self._options.why_not(name, entry.size):
                notes.leave_out(name, reason)
            else:
                yield Item(name, name, entry.checksum or None)

    def read(self, item: Item, target: Path) -> None:
        """Write what the connector reads."""
        folder, _, name = item.id.rpartition("/")
        try:
            data = self._connector.read_file(folder, name)
        except SourceFileUnavailable as error:
            raise SourceError(f"{item.id!r} cannot be had ({error})", "sync again") from error
        except Exception as error:
            raise self._failed(error, "sync again") from error
        with open(target, "wb", opener=owners_alone) as file:
            file.write(data)

    def close(self) -> None:
        """Close the connector."""
        self._connector.close()

    def _failed(self, error: Exception, remedy: str) -> SourceError:
        if isinstance(error, SourceError):
            return error
        said = without_credentials(" ".join(str(error).split()))[:200] or type(error).__name__
        return SourceError(f"{self._address} cannot be read ({said})", remedy, code="url_unreachable")
