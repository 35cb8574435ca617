"""Text that others wrote, as Streamlit shows it unchanged where it reads Markdown: in captions, labels and messages.

Longer text of documents belongs into `st.text` or `st.code`, which read nothing.
"""

import re

from khub.components.text.hidden_characters import for_terminal

_MARKS = re.compile(r"[\\`*_{}\[\]<>()#+.!|~$:&=^-]")
_NAMED_SIGN = re.compile(r":(?=[\w/+-]+:)")
"""`:wave:`, `:material/home:`: Streamlit puts a picture there, escaped or not, and may fetch a font for it."""
_NOTHING = "\u2060"


def plain(text: str) -> str:
    """Return a text without hidden characters, on one line, in which no character is a mark of Markdown."""
    line = _NAMED_SIGN.sub(f":{_NOTHING}", " ".join(for_terminal(text).split()))
    return _MARKS.sub(r"\\\g<0>", line)


def shortened(text: str, length: int) -> str:
    """Return the beginning of a text, which ends with a word where it has blanks."""
    if len(text) <= length:
        return text
    words = text[:length].rpartition(" ")[0]
    return f"{words if len(words) > length * 0.8 else text[:length]}…"
