"""Headings of parts that any document may have: they say nothing of what it is about."""

import re

_PART = re.compile(
    r"(?:table of )?contents|(?:list|table) of (?:figures|tables)|abstract|(?:executive )?summary|introduction|foreword"
    r"|preface|acknowledge?ments|index|appendix|references|disclaimer|(?:copyright|legal) notice"
    r"|目\s*录|目\s*次|摘\s*要|前\s*言|引\s*言|序\s*言|附\s*录|参考文献|致\s*谢",
    re.IGNORECASE,
)
_AROUND = " \t#*_:：."


def is_part_heading(text: str) -> bool:
    """Whether a heading is that of a part such as the contents or the abstract, and so no title of a document."""
    return _PART.fullmatch(text.strip(_AROUND)) is not None
