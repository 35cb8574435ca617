"""Metadata that a person has given to a document: it holds when the file is read again, and when it has changed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.found_metadata import GIVEN
from khub.components.catalog.parts import PART_OF

KEPT_META = "kept_meta"
"""Field of a source: metadata of its document that holds where nobody says otherwise now."""
GIVEN_BEFORE = "given_before"
"""Field of a source: key -> what a person has given, and what the file itself said then."""
_OF_THE_RUN = frozenset({"modified_at", "recipe", PART_OF})


def with_given(
    collection: str, records: Sequence[Mapping[str, Any]], unmarked: Sequence[str] = (ACCESS_FIELD,)
) -> list[dict[str, Any]]:
    """Return records with what was given to their documents before.

    A file that has a new name and the content of one that is gone is that one, renamed.

    :param records: of sources of the collection, with `path`, `doc_id` and `sha256`.
    :param unmarked: keys that count as given in a document that does not say which were: no level goes unsaid.
    """
    known = open_catalog().documents.said([record["doc_id"] for record in records])
    renamed = _of_gone_files(collection, [record["sha256"] for record in records if record["doc_id"] not in known])
    found = []
    for record in records:
        before = known[record["doc_id"]][1] if record["doc_id"] in known else renamed.get(record["sha256"], {})
        words = before.get(GIVEN, dict.fromkeys(unmarked))
        found.append({**record, GIVEN_BEFORE: {key: (before[key], words[key]) for key in words if key in before}})
    return found


def joined_meta(source: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a document, and under `GIVEN` what the file says itself of each key that a person gave.

    What is given now comes first; then what was given before, unless the file has changed its word since; then what the
    file says.

    :param source: its record; `meta` is what is given now.
    :param own: what the file says.
    """
    now = source.get("meta", {})
    before = source.get(GIVEN_BEFORE, {})
    holds = {key: value for key, (value, word) in before.items() if own.get(key) in (word, value)}
    given = {key: own.get(key) for key in (*holds, *now) if key not in _OF_THE_RUN}
    return {**own, **source.get(KEPT_META, {}), **holds, **now, GIVEN: given}


def _of_gone_files(collection: str, hashes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return content -> metadata of a document whose file is gone."""
    rows = open_catalog().documents.said_of_content(collection, hashes) if hashes else []
    return {sha256: meta for sha256, source, meta in rows if not Path(source).exists()}
