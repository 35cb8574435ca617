"""The files of a git repository: `git:https://git.example.com/team/handbook.git@main:docs`, or a path."""

import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import Any

from dulwich.client import FetchPackResult, LocalGitClient, SSHGitClient, get_transport_and_path
from dulwich.config import StackedConfig
from dulwich.errors import NotGitRepository
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Tag
from dulwich.repo import Repo

from khub.components.errors import KhubError, SourceError
from khub.components.private_files import owners_alone, private_folder
from khub.components.sources.secret import secret_of
from khub.components.sources.source import Item, KnownItem, Notes, Options
from khub.components.text.hidden_names import is_hidden
from khub.components.text.shown_address import shown_address, without_credentials

ADDRESS = re.compile(
    r"(?P<where>(?:(?P<scheme>[a-z+]+)://[^/]+)?(?:[A-Za-z]:[\\/])?[^@:]*)(?:@(?P<branch>[^:]+))?(?::(?P<folder>.*))?"
)
SCHEMES = ("https", "http", "git", "ssh", "file", None)
LAST: Any = b"refs/heads/last"
POINTER = b"version https://git-lfs.github.com/spec/"
BROWSED = {"github.com": "blob/", "gitlab.com": "-/blob/", "codeberg.org": "src/commit/", "gitea.com": "src/commit/"}
"""How a service shows a file at a commit."""


@dataclass(frozen=True)
class _Head:
    """The commit that is read."""

    id: str
    tree: Any
    time: str


class Source:
    """Fetches the last commit of a branch, and of what changed since only that.

    :param address: `git:` and an address or a path, perhaps with `@branch` and `:folder`.
    :param options: `key` (an environment variable with a password or token) beside what holds for all sources.
    """

    SETTINGS = ("key",)

    def __init__(self, address: str, options: Options) -> None:
        found = ADDRESS.fullmatch(address.partition(":")[2])
        unknown = found is None or not found["where"] or found["scheme"] not in SCHEMES
        if found is None or unknown or (found["folder"] or "").startswith("//"):
            raise SourceError(f"{address!r} names no repository", "write it like git:https://host/name.git@main:docs")
        self._where = found["where"] if found["scheme"] else str(Path(found["where"]).expanduser().absolute())
        self._branch = found["branch"] or ""
        self._folder = (found["folder"] or "").strip("/")
        self._options = options
        host = urllib.parse.urlsplit(self._where).netloc if found["scheme"] else ""
        self._secret = secret_of(options.more.get("key"), host)
        self._repo: Repo | None = None
        self._there: Repo | None = None

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield the files of the branch whose kind is read."""
        repo = self._opened()
        head = self._fetched(repo)
        store, folder, met = repo.object_store, f"{self._folder}/" if self._folder else "", False
        for entry in iter_tree_contents(store, head.tree):
            path = (entry.path or b"").decode(errors="replace")
            met = met or path.startswith(folder)
            if not path.startswith(folder) or any(map(is_hidden, PurePosixPath(path).parts)):
                continue
            if not S_ISREG(entry.mode or 0):
                notes.leave_out(path, "it is a link, or a repository of its own")
                continue
            name, version = path.removeprefix(folder), (entry.sha or b"").decode()
            if reason := self._why_not(path, repo, version, known.get(path)):
                notes.leave_out(path, reason)
                continue
            yield Item(path, name, version, self._shown(path, head.id), head.time)
        if folder and not met:
            raise SourceError(
                f"the repository {shown_address(self._where)!r} has no folder {self._folder!r}", "check the spelling"
            )

    def read(self, item: Item, target: Path) -> None:
        """Write a file as it is in the commit."""
        with open(target, "wb", opener=owners_alone) as file:
            file.write(self._blob(self._opened(), item.version or "").data)

    def close(self) -> None:
        """Close the repository."""
        for repo in (self._repo, self._there):
            if repo is not None:
                repo.close()

    def _opened(self) -> Repo:
        if self._repo is None:
            folder = self._options.kept / "repository"
            try:
                self._repo = Repo(str(folder))
            except NotGitRepository:
                private_folder(folder)
                self._repo = Repo.init_bare(str(folder))
        return self._repo

    def _fetched(self, repo: Repo) -> _Head:
        user = urllib.parse.urlsplit(self._where).username if "://" in self._where else None
        asked: dict[str, Any] = {"username": user or "git", "password": self._secret} if self._secret else {}
        try:
            client, path = get_transport_and_path(self._where, config=StackedConfig([]), quiet=True, **asked)
            if isinstance(client, SSHGitClient) and not self._options.private:
                raise SourceError(
                    f"{shown_address(self._where)!r} is reached by the program ssh, whose connections nobody looks at",
                    "name an https address, or say `private: true` (--set private=true)",
                    code="url_not_allowed",
                )
            if isinstance(client, LocalGitClient):  # its objects are read where they lie: no fetch brings them again
                self._there = Repo(path)
                repo.object_store.alternates.append(self._there.object_store)
            wants: Any = lambda refs, *_, **__: self._wanted(repo, refs)  # noqa: E731 - protocols differ in the rest
            result = client.fetch(path, repo, determine_wants=wants, depth=1)
        except KhubError:
            raise
        except Exception as error:  # each protocol and library below has errors of its own
            said = without_credentials(" ".join(str(error).split()))[:200] or type(error).__name__
            raise SourceError(
                f"the repository {shown_address(self._where)!r} cannot be fetched ({said})",
                "check the address, the network and the `key` of the source",
                code="url_unreachable",
            ) from error
        commit: Any = repo.object_store[self._tip(result)]
        while isinstance(commit, Tag):  # one with a text of its own
            commit = repo.object_store[commit.object[1]]
        repo.refs[LAST] = commit.id  # what a server is told to be here already
        time = datetime.fromtimestamp(commit.commit_time, UTC).isoformat()
        return _Head(commit.id.decode(), commit.tree, time)

    def _wanted(self, repo: Repo, refs: Mapping[Any, Any]) -> list[Any]:
        tip = refs.get(self._ref(refs))
        if tip is None:
            there = ", ".join(sorted(ref.decode().rpartition("/")[2] for ref in refs if b"/heads/" in ref)[:10])
            raise SourceError(
                f"the repository {shown_address(self._where)!r} has no branch {self._branch or 'at all'!r}",
                f"name one of: {there}" if there else "commit something to it",
            )
        return [] if tip in repo.object_store else [tip]

    def _tip(self, result: FetchPackResult) -> Any:
        refs: Mapping[Any, Any] = result.refs
        return refs[self._ref(refs)]

    def _ref(self, refs: Mapping[Any, Any]) -> bytes:
        """Return the name of the branch, or of a tag."""
        name = self._branch.encode()
        return next(
            (ref for ref in (b"refs/heads/" + name, b"refs/tags/" + name) if name and ref in refs), name or b"HEAD"
        )

    def _why_not(self, path: str, repo: Repo, version: str, before: KnownItem | None) -> str:
        reason = self._options.why_not(path)
        if reason or (before is not None and before.version == version):
            return reason
        data = self._blob(repo, version).data
        if data.startswith(POINTER):
            return "its content lies in Git LFS"
        return self._options.why_not(path, len(data))

    def _blob(self, repo: Repo, version: str) -> Blob:
        sha: Any = version.encode()
        found: Any = repo.object_store[sha]
        return found  # type: ignore[no-any-return]

    def _shown(self, path: str, commit: str) -> str:
        """Return where a reader sees a file at its commit; else how git calls it; nothing of a path of this machine."""
        parts = urllib.parse.urlsplit(shown_address(self._where))
        if parts.scheme in ("http", "https") and (way := BROWSED.get(parts.hostname or "")):
            repository = parts.path.removesuffix(".git").strip("/")
            return f"https://{parts.hostname}/{repository}/{way}{commit}/{urllib.parse.quote(path)}"
        return f"{shown_address(self._where)}@{commit[:12]}:{path}" if "://" in self._where else ""
