"""Which language a passage is written in, whatever code and addresses stand in it."""

import re

from components.text.language import detect_language

_NO_PROSE = re.compile(
    r"^(?P<fence>`{3,}|~{3,}).*?(?:^(?P=fence)|\Z)"  # a block of code, whose end may be in the next passage
    r"|`[^`\n]+`"
    r"|(?<=\])\([^()\s]*\)|\bhttps?://[^\s<>)\]]+"
    r"|</?[a-zA-Z][^<>\n]*>",
    re.DOTALL | re.MULTILINE,
)


def prose_language(text: str) -> str:
    """Name the language of a passage of Markdown by what is not code, address or tag in it.

    Names of functions and settings are Latin in any language: with them, a Chinese page on software is English.

    :param text: a passage.
    :returns: as `detect_language` does; that of the whole, where it has nothing else.
    """
    language = detect_language(text)
    if language != "en" or text.isascii():
        return language
    prose = detect_language(_NO_PROSE.sub(" ", text))
    return language if prose == "und" else prose
