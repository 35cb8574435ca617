"""What the connectors of the package oikb reach: `confluence:SPACE`, `github:owner/name`, `notion:…` and forty more."""

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from oikb.cli import _resolve_connector
from oikb.connectors import SourceFileUnavailable
from oikb.connectors.filesystem import FilesystemConnector

from khub.components.errors import MissingLibraryError, SourceError
from khub.components.private_files import owners_alone
from khub.components.sources.address import KINDS, scheme_of
from khub.components.sources.source import Item, KnownItem, Notes, Options
from khub.components.text.shown_address import without_credentials

BOUNDED = frozenset({
    "asana", "discord", "document360", "dokuwiki", "fireflies", "freshdesk", "gmail", "gong", "guru", "servicenow",
    "slack", "teams", "xenforo", "zulip",
})  # fmt: skip
"""What lists its latest or first entries alone (DokuWiki: those that could be read), and does not say whether all."""
UNCHECKED = frozenset({"clickup", "freshdesk"})
"""What takes an answer that tells an error for an empty list."""
LAST_PAGE = "50"
"""After this one the connector of Discourse stops, whatever is left."""

FAILED = "url_unreachable"


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
        self._scheme = scheme_of(address) or ""
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
        """Yield what the connector lists; an empty list is not believed, and a part is not taken for the whole."""
        if self._scheme in BOUNDED or getattr(self._connector, "_limit", None):
            notes.incomplete.append(f"{self._scheme} lists a bounded number of entries: older ones stay")
        try:
            with self._looked_at(notes):
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

    @contextlib.contextmanager
    def _looked_at(self, notes: Notes) -> Iterator[None]:
        """Look at each answer to the connector, which itself looks at few."""
        client = getattr(self._connector, "_http", None)
        hooks = client.event_hooks["response"] if isinstance(client, httpx.Client) else []
        look = partial(_look_at, self._scheme, notes)
        hooks.append(look)
        try:
            yield
        finally:
            hooks.remove(look)

    def _failed(self, error: Exception, remedy: str) -> SourceError:
        if isinstance(error, SourceError):
            return error
        said = without_credentials(" ".join(str(error).split()))[:200] or type(error).__name__
        return SourceError(f"{self._address} cannot be read ({said})", remedy, code=FAILED)


def _look_at(scheme: str, notes: Notes, response: httpx.Response) -> None:
    """Note what tells that an answer holds a part alone.

    :raises SourceError: if it tells an error, as Slack and GraphQL do with the status 200.
    """
    if scheme in UNCHECKED:
        response.raise_for_status()
    response.read()
    try:
        answer = response.json()
    except ValueError:
        return
    if not isinstance(answer, dict):
        return
    path = response.url.path
    wrong = answer.get("errors") if path.endswith("/graphql") else None
    if scheme == "slack" and path.endswith("/conversations.history") and not answer.get("ok"):
        wrong = answer.get("error") or "not ok"
    if wrong:
        raise SourceError(f"{scheme} answers {str(wrong)[:200]!r}", "check its keys, or sync again later", code=FAILED)
    if scheme == "github" and answer.get("truncated"):
        notes.incomplete.append("GitHub lists a part of the files: the repository is too large; follow it with git:")
    if scheme == "sharepoint" and "@odata.nextLink" in answer:
        notes.incomplete.append("a folder holds more files than SharePoint lists at once")
    is_last = response.url.params.get("page") == LAST_PAGE
    if scheme == "discourse" and is_last and (answer.get("topic_list") or {}).get("topics"):
        notes.incomplete.append("Discourse has more topics than are listed: older ones stay")
