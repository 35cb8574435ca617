"""What a program writes to a terminal beside the text: colours, moves of the cursor, titles, letters struck twice."""

import re

_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and moves
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # titles and links
    r"|\x1b[ -/]+[0-~]"  # character sets
    r"|\x1b[0-Z\\^-~]"
)
_STRUCK_TWICE = re.compile(r"[^\n\x08]\x08")


def without_terminal_codes(text: str) -> str:
    """Return a text as the terminal would show it; bold and underlined letters of a manual page stand once."""
    if "\x1b" in text:
        text = _CODES.sub("", text)
    return _STRUCK_TWICE.sub("", text) if "\x08" in text else text
