"""Plain text of mails whose lines a program has broken and marked, so that they can be joined again (RFC 3676)."""

import re

_DEPTH = re.compile(r">*")
_SIGNATURE = "-- "


def unflowed(text: str, delete_space: bool) -> str:
    """Join the lines of flowed text.

    A line that ends in a blank goes on in the next one, if that is quoted as deeply.

    :param delete_space: whether that blank is no part of the text (`delsp=yes`), as in scripts without blanks.
    """
    paragraphs: list[str] = []
    open_at: int | None = None  # depth of the quote in which the last line goes on
    for line in text.splitlines():
        depth = len(_DEPTH.match(line)[0])  # type: ignore[index]
        content = line[depth:].removeprefix(" ")
        flows = content.endswith(" ") and content != _SIGNATURE
        kept = content[:-1] if flows and delete_space else content
        if open_at == depth and content != _SIGNATURE:
            paragraphs[-1] += kept
        else:
            paragraphs.append(f"{'>' * depth} {kept}" if depth else kept)
        open_at = depth if flows else None
    return "\n".join(paragraphs)
