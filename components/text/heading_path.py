"""The part of a heading path that says what a passage is about."""

import re

JOINT = " > "
LONGEST_HEADING = 120
"""In characters; beyond that, what a converter took for a heading is running text."""
_LETTER, _WORD = re.compile(r"[^\W\d_]"), re.compile(r"\w+")


def telling_path(path: str, title: str) -> str:
    """Return a heading path without what says nothing: numbers alone, pictures, running text, repetitions.

    :param path: "A > B".
    :param title: of the document; a heading that stands in it is not said again.
    """
    said, kept = [_words(title)], []
    for heading in path.split(JOINT):
        words = _words(heading)
        is_heading = _LETTER.search(heading) and "[IMAGE:" not in heading and len(heading) <= LONGEST_HEADING
        if is_heading and not any(words in other for other in said):
            kept.append(heading)
            said.append(words)
    return JOINT.join(kept)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
