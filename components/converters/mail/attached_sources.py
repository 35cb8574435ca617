"""The files attached to a mail as sources of documents, each with what it has from its mail."""

import hashlib
from pathlib import Path
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.given_metadata import GIVEN_BEFORE, KEPT_META
from khub.components.catalog.held_file import HELD_FILE, HeldFile, HeldFolder
from khub.components.catalog.parts import PART_OF, PARTS, part_source
from khub.components.catalog.unchanged import unchanged_among

_INHERITED = ("subject", "from", "date")
_OF_THE_RUN = ("modified_at", "recipe")


def attached_sources(mail: dict[str, Any], said: dict[str, Any], folder: HeldFolder) -> list[dict[str, Any]]:
    """Return the source records of the files that were taken out of a mail.

    :param mail: its own record, with `collection`.
    :param said: metadata of the mail, with the names of the files; an attached one that says no subject, sender or date
        of its own has them from there.
    :param folder: in which they lie.
    :returns: records as `IntegrityCheck` makes them, and `held_file`, the path; `path` is what the document is called.
        What the user says of the mail holds for them; what was said of it before gives no new levels to a file that is
        the same.
    """
    records = []
    for name in said.get(PARTS) or ():
        path, held = part_source(mail["path"], name), HeldFile.of(folder, name)
        with Path(held).open("rb") as stream:
            digest, size = hashlib.file_digest(stream, "sha256").hexdigest(), stream.tell()
        records.append(
            {
                **mail,
                "path": path,
                "doc_id": doc_id_of(mail["collection"], path),
                "sha256": digest,
                "size": size,
                "meta": {**mail["meta"], PART_OF: mail["doc_id"]},
                "said": {key: said[key] for key in _INHERITED if key in said},
                HELD_FILE: held,
            }
        )
    return [_with_own_levels(record, known) for record in records] if (known := _known(records)) else records


def _known(records: list[dict[str, Any]]) -> dict[str, tuple[str | None, dict[str, Any]]]:
    """Return what is said of the same files already, where what has been said of their mail holds."""
    doc_ids = [record["doc_id"] for record in records if KEPT_META in record]
    return open_catalog().documents.said(doc_ids) if doc_ids else {}


def _with_own_levels(record: dict[str, Any], known: dict[str, tuple[str | None, dict[str, Any]]]) -> dict[str, Any]:
    """Keep the levels of a file that is the same as before: somebody may have given it fewer than its mail has."""
    sha256, said = known.get(record["doc_id"], (None, {}))
    if sha256 != record["sha256"]:
        return record
    own = {ACCESS_FIELD: said[ACCESS_FIELD]} if ACCESS_FIELD in said else {}
    kept = {key: value for key, value in record[KEPT_META].items() if key != ACCESS_FIELD}
    given = {key: value for key, value in record[GIVEN_BEFORE].items() if key != ACCESS_FIELD}
    return {**record, KEPT_META: {**kept, **own}, GIVEN_BEFORE: given}


def changed_among(attached: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those that are new or changed: a mail is read again for one of its files, or for what is said of it."""
    if not attached or attached[0].get("force"):
        return attached
    meta = attached[0]["meta"]
    given = {**{key: value for key, value in meta.items() if key not in _OF_THE_RUN}, **attached[0]["said"]}
    unchanged = unchanged_among(attached, meta.get("recipe"), given)
    return [record for record in attached if record["doc_id"] not in unchanged]
