"""Names that every store accepts, made from any collection name."""

import hashlib
import re
import unicodedata

SLUG_LENGTH = 32


def slug_of(name: str) -> str:
    """Return `[a-z][a-z0-9_]{2,31}` for any name, Chinese ones too.

    A name that is a slug already stays as it is, unless it ends like one that was made; any other gets eight characters
    of its hash. So two names never share a slug.

    :param name: the collection's name, not empty.
    :returns: the slug, at most 32 characters, so that `_g<generation>` still fits into 40.
    """
    if re.fullmatch(r"[a-z][a-z0-9_]{2,31}", name) and not re.search(r"_[0-9a-f]{8}$", name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    stem = words if words[:1].isalpha() else f"c_{words}"
    digest = hashlib.sha256(name.encode("utf-8")).hexdigest()[:8]
    return f"{stem[: SLUG_LENGTH - 9].rstrip('_')}_{digest}"
