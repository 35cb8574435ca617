"""Headings of parts that any document may have: they say nothing of what it is about."""

import re

_PART = re.compile(
    r"(?:table of )?contents|(?:list|table) of (?:figures|tables)|abstract|(?:executive )?summary|introduction|overview"
    r"|about|background|foreword|preface|acknowledge?ments|index|appendix|references|disclaimer"
    r"|(?:copyright|legal) notice|(?:revision|change|document|version) history|change ?log"
    r"|目\s*[录錄次](?:\s*contents)?|摘\s*要|前\s*言|引\s*[言论]|[导緒绪]\s*[言論论]|序\s*言|简\s*介|概\s*述|背\s*景|总\s*则"
    r"|附\s*录|参考文献|致\s*谢|(?:文档)?(?:修[订改]|变更|版本)(?:历史)?(?:记录|说明|历史)",
    re.IGNORECASE,
)
_AROUND = " \t#*_:：."


def is_part_heading(text: str) -> bool:
    """Whether a heading is that of a part such as the contents or the abstract, and so no title of a document."""
    return _PART.fullmatch(text.strip(_AROUND)) is not None
