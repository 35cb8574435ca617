"""The part of a heading path that says what a passage is about."""

import re
from functools import lru_cache

JOINT = " > "
LONGEST_HEADING = 120
"""In characters; beyond that, what a converter took for a heading is running text."""
_LETTER = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=4096)
def telling_path(path: str) -> str:
    """Return a heading path, "A > B", without what says nothing: numbers alone, pictures, running text."""
    return JOINT.join(heading for heading in path.split(JOINT) if _tells(heading))


def _tells(heading: str) -> bool:
    return bool(_LETTER.search(heading)) and "[IMAGE:" not in heading and len(heading) <= LONGEST_HEADING
