"""Files attached to a mail: documents of their own, called `MAIL!/NAME`, and `MAIL!/INNER!/NAME` in a mail in a mail.

What lies in an archive or a mailbox is as if it were attached to it.

They belong to the mail: what is asked of it as a whole is asked of them, and they go with it.
"""

import json
import re
from collections.abc import Sequence
from typing import cast

from khub.components.catalog.database import Database
from khub.components.catalog.document_name import DocumentName

PART_MARK = "!/"
PART_OF = "part_of"
"""Metadata of an attached file: the `doc_id` of the mail."""
PARTS = "parts"
"""Metadata of a mail: names of the attached files that were taken out of it."""
LEFT = "attachments_left"
"""Metadata of a mail: why attached files were left out, see `attachment.Unpacked.told`."""
_IS_MAIL = (
    "(lower(substr({0}.source, length({0}.source) - 3)) IN ('.eml', '.msg', '.zip') "
    "OR lower(substr({0}.source, length({0}.source) - 4)) = '.mbox')"
)
UNOPENED = (
    f"({_IS_MAIL.format('d')} AND json_extract(d.meta, '$.attachments') IS NOT NULL "
    f"AND json_extract(d.meta, '$.{PARTS}') IS NULL AND json_extract(d.meta, '$.{LEFT}') IS NULL)"
)
"""Clause that holds for a mail `d` that names attached files, and says of none whether it was taken out."""
_MAIL = re.compile(r"(.*?\.(?:eml|msg|zip|mbox))!/", re.IGNORECASE | re.DOTALL)


def part_source(mail: str, name: str) -> str:
    """Return the source of a file attached to a mail."""
    return f"{mail}{PART_MARK}{name}"


def file_of_part(source: str) -> str | None:
    """Return the file in which an attached file lies, whatever mails are around it; None for any other document."""
    found = _MAIL.match(source)
    return found[1] if found else None


def shown_name(source: str) -> str:
    """Return a source without folders, whichever system they are of; an attached file with the mail around it."""
    file = file_of_part(source) or source
    return source[max(file.rfind("/"), file.rfind("\\")) + 1 :] or source


def parts_clause(mail: str, part: str) -> str:
    """Return a WHERE clause that holds where a row of `documents` is a mail and another one a part of it.

    :param mail: alias of the first.
    :param part: alias of the second.
    """
    source = f"{mail}.source || '{PART_MARK}"
    after = chr(ord(PART_MARK[-1]) + 1)
    return (
        f"({_IS_MAIL.format(mail)} AND {part}.collection = {mail}.collection "
        f"AND {part}.source > {source}' AND {part}.source < {mail}.source || '{PART_MARK[:-1]}{after}')"
    )


def parts_of(database: Database, doc_ids: Sequence[str]) -> list[DocumentName]:
    """Return `doc_id` and `source` of all parts of documents, those of mails in mails too, by source."""
    rows = database.rows(
        f"SELECT DISTINCT p.doc_id, p.source FROM documents m JOIN documents p ON {parts_clause('m', 'p')} "
        "WHERE m.doc_id IN (SELECT value FROM json_each(?)) ORDER BY p.source",
        (json.dumps(list(doc_ids)),),
    )
    return [cast(DocumentName, dict(row)) for row in rows]
