"""Lines that begin a definition, in the languages that are not parsed."""

import re

_LONGEST_LINE = 300
_NAME = r"[^\W\d][\w$]*+(?:(?:::|\.)~?[^\W\d][\w$]*+)*+[!?]?"
_MODIFIER = (
    r"(?:export|default|public|private|protected|internal|static|abstract|final|sealed|open|data|async|unsafe|inline|"
    r"virtual|override|partial|readonly|const|constexpr|extern|declare|local|suspend|typedef|pub(?:\([^)]*\))?)"
)
_KEYWORD = (
    r"(?:class|interface|struct|enum(?:\s+(?:class|struct))?|union|trait|protocol|extension|module|namespace|object|"
    r"record|fn|func|fun|function\*?|def|defp|defmodule|sub|type|message|service|contract|procedure|macro_rules!|mod|"
    r"impl(?:<[^>]*>)?)"
)
_PROSE = r"(?:of|to|is|are|for|from|the|a|an|that|in|and|or|with)\b"
_DECLARED = re.compile(rf"(?:{_MODIFIER}\s+)*{_KEYWORD}\s+(?:\([^)]*\)\s*)?(?!{_PROSE})({_NAME})")
_ASSIGNED = re.compile(
    rf"(?:{_MODIFIER}\s+)*(?:(?:const|let|var|local)\s+)?({_NAME})\s*(?:<-|=)\s*(?:async\s+)?"
    r"(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>)"
)
_CREATED = re.compile(
    r"create\s+(?:\w+\s+){0,4}?(?:table|view|function|procedure|index|trigger|schema)\s+(?:if\s+not\s+exists\s+)?"
    r"[\"`\[]?([\w.$]+)",
    re.IGNORECASE,
)
_PATTERNS = (_DECLARED, _ASSIGNED, _CREATED)
_BEFORE_PARENTHESIS = re.compile(rf"(?:[\w$<>\[\],.:&*?@~\"]+\s+)*[*&]*({_NAME})")
_CONTROL = re.compile(
    r"\b(?:if|else|elif|for|foreach|while|until|switch|case|catch|return|throw|new|await|yield|do|try|with|using|lock|when|"
    r"match|unless|synchronized|sizeof|assert|and|or|not|in|is|delete|go|defer|select)\b"
)


def defined_name(line: str, following: str) -> str | None:
    """Name what a line begins to define.

    :param line: of the code, without its indentation.
    :param following: the line after it.
    :returns: the name after a keyword (`class`, `func`, `struct`, `CREATE TABLE` …), of a function assigned to a name,
        or of a function in the manner of C whose body begins on this line or the next; else None.
    """
    if len(line) > _LONGEST_LINE:
        return None
    for pattern in _PATTERNS:
        if match := pattern.match(line):
            return match[1]
    return _before_body(line, following)


def _before_body(line: str, following: str) -> str | None:
    head, parenthesis, rest = line.partition("(")
    opens = "{" in rest.partition(")")[2] or (line.rstrip().endswith(")") and following.strip().startswith("{"))
    if not parenthesis or not opens or "=" in head:
        return None
    match = _BEFORE_PARENTHESIS.fullmatch(head.strip())
    return match[1] if match and not _CONTROL.search(head) else None
