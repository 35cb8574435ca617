"""Files that failed alike, so that a reason and its remedy are said once."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from khub.components.failed_file import FailedFile


@dataclass(frozen=True)
class FailureGroup:
    """Files that failed for one reason.

    :param error: the reason, without the name of a file in front.
    :param sources: the files, in the order in which they failed.
    """

    stage: str
    error: str
    remedy: str
    sources: tuple[str, ...]


def failure_groups(failed: Iterable[FailedFile]) -> list[FailureGroup]:
    """Return the groups in the order of their first files.

    :param failed: files, as in an `IngestResult`.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in failed:
        key = (one.get("stage", ""), without_name(one["error"], one["source"]), one["remedy"])
        groups.setdefault(key, []).append(one["source"])
    return [FailureGroup(*key, tuple(sources)) for key, sources in groups.items()]


def without_name(error: str, source: str) -> str:
    """Return an error without the name of its file in front, for places that show the name anyway."""
    for name in (source, PurePath(source).name):
        error = error.removeprefix(f"{name!r} ").removeprefix(f"'{name}' ")
    return error
