"""Addresses in running text: what they name is read, and the rest of them says nothing of what a passage is about."""

import re

LONGEST_SHOWN = 60
"""In characters: an address that is longer fills more than half of a line."""
_LONGEST_LABEL = 500
_TARGET = re.compile(r"\]\(<?((?:https?|ftp)://[^\s()<>]++|mailto:[^\s()<>]++)>?(?: \"[^\"\n]*+\")?\)")
_BARE = re.compile(r"\b(?:https?|ftp)://([^\s/()<>\[\]|?#]++)[^\s()<>\[\]|]*+")


def without_addresses(text: str) -> str:
    """Return a text in which links are their words, and an address is its host: what is embedded."""
    return _BARE.sub(r"\1", without_targets(text)) if "://" in text or "mailto:" in text else text


def without_targets(text: str, longest: int = 0) -> str:
    """Return a text in which links to addresses that are longer than `longest` are their words alone."""
    if "](" not in text:
        return text
    found, at = [], 0
    for target in _TARGET.finditer(text):
        begin = _label(text, at, target.start())
        if begin is None or len(target[1]) <= longest:
            continue
        found += [text[at:begin], text[begin + 1 : target.start()]]
        at = target.end()
    return "".join([*found, text[at:]])


def _label(text: str, lowest: int, end: int) -> int | None:
    """Return where the bracket stands that belongs to the one at `end`: brackets within are pairs."""
    depth = 0
    for at in range(end - 1, max(lowest, end - _LONGEST_LABEL) - 1, -1):
        if text[at] == "]":
            depth += 1
        elif text[at] == "[":
            if not depth:
                return at
            depth -= 1
    return None
