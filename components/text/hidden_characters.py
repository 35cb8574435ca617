"""Characters that hide or reorder text: taken out of what is read, spelled out in names."""

import json
import re
import unicodedata

_JOINERS = "\u200c\u200d"
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PLAIN = "\x00-\u02af\u2000-\u206f\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
"""Scripts that need no joiners: between two letters of these, one is there to hide something."""
_WITHOUT_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese, Khmer: a space of no width stands between two words."""
_HIDDEN = re.compile(
    f"[{_CONTROLS}{_DIRECTIONS}{_INVISIBLE}]"
    f"|(?<![^{_PLAIN}])[{_JOINERS}](?![^{_PLAIN}])"
    f"|(?<![{_WITHOUT_SPACES}])\u200b"
    f"|(?<=[{_VARIANTS}])[{_VARIANTS}]"  # each one more can hold a byte
)
_STEERS = re.compile(f"[{_DIRECTIONS}{_INVISIBLE}]")


def hidden_places(text: str) -> list[int]:
    """Return the offsets of characters that nobody sees and a machine reads, or that show text in another order.

    Line breaks and tabs are none, nor the joiners of emoji, of Persian and of Indic scripts.
    """
    return [] if text.isascii() and text.isprintable() else [match.start() for match in _HIDDEN.finditer(text)]


def without_hidden(text: str) -> str:
    """Return a text without such characters."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub("", text)


def on_one_line(text: str) -> str:
    r"""Return a name with line breaks (`\n`) and all that hides or reorders (`\u202e`) spelled out."""
    if text.isprintable():
        return text
    spelled = _HIDDEN.sub(lambda match: _escape(match[0]), text)
    return "".join(_escape(character) if _breaks(character) else character for character in spelled)


def in_quotes(text: str) -> str:
    r"""Return a name out of a document in quotes, as JSON has it, so that it says nothing in the words of the hub."""
    return on_one_line(json.dumps(text, ensure_ascii=False))


def for_terminal(text: str) -> str:
    """Return a text of several lines, with U+FFFD for each character that steers a terminal or reorders text."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    kept = _STEERS.sub("\ufffd", text)
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c not in "\n\t" else c for c in kept)


def _breaks(character: str) -> bool:
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in _JOINERS)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()
