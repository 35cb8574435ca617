"""Rule: codes and names that are to be found letter by letter."""

import re
from collections import Counter
from collections.abc import Iterator

from khub.components.text.language import detect_language
from khub.eval.synth.draft import Draft
from khub.eval.synth.source_text import Piece, SourceText

RULE = "identifier"
IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[A-Z]{1,6}(?:-(?!\d{2,}+(?![A-Z0-9]))[A-Z0-9]++)*+-\d{2,}+(?:-[A-Z0-9]++)*+"
    r"|[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++)(?![A-Za-z0-9_-])"
)
STANDARD = re.compile(r"(?:SHA|UTF|ISO|IEC|AES|RFC|TLS|USB|GB|BM)-\d.*")
LONGEST = 240


def identifiers(text: SourceText) -> Iterator[Draft]:
    """Draft what a code means that a document names once: from the line that begins with it, or from its sentence."""
    everywhere = Counter(IDENTIFIER.findall(text.document.content or ""))
    seen: set[str] = set()
    for piece in text.lines:
        found = IDENTIFIER.match(piece.text)
        if (
            found
            and not STANDARD.fullmatch(found[0])
            and len(IDENTIFIER.findall(piece.text)) == 1
            and found.end() + 3 < len(piece.text)
        ):
            seen.add(found[0])
            yield _draft(text, piece, found[0], piece.text[found.end() :].strip(" :：-–—|"), begins=True)
    for piece in text.sentences:
        names = IDENTIFIER.findall(piece.text)
        if (
            len(names) == 1
            and not STANDARD.fullmatch(names[0])
            and everywhere[names[0]] == 1
            and names[0] not in seen
            and len(piece.text) <= LONGEST
        ):
            yield _draft(text, piece, names[0], piece.text, begins=False)


def _draft(text: SourceText, piece: Piece, name: str, answer: str, begins: bool) -> Draft:
    language = "zh" if detect_language(piece.text) == "zh" else "en"
    if language == "zh":
        question = f"{name} 是什么意思？" if begins else f"{name} 指的是什么？"
    else:
        question = f"What does {name} mean?" if begins else f"What does {name} refer to?"
    return Draft(question, language, "identifier", answer, text.source, piece.page, piece.text, RULE)
