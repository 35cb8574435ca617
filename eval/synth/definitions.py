"""Rule: what a document defines."""

import re
from collections.abc import Iterator

from khub.components.text.language import detect_language
from khub.eval.synth.draft import Draft
from khub.eval.synth.source_text import Piece, SourceText, glued

RULE = "definition"
ENGLISH = re.compile(
    r"(?P<term>(?:[Tt]he |[Aa]n? )?[A-Za-z][\w+/'() -]{1,48}?) (?P<verb>is|are|means?) "
    r"(?P<rest>(?:an?|the (?!same|only|last|first|next)|one of|how|every|any) ?[^.;]{10,})[.;]?"
)
NOT_A_TERM = re.compile(
    r"(?:(?:how|it|this|that|these|those|there|here|what|which|who|he|she|they|we|you|so|such|but|and|if|when|each|every|all"
    r"|one|both|neither|nothing|everything|another|our|your|its|their|his|her|the (?:first|second|third|next|last|other"
    r"|same|former|latter|result|reason|answer|question|problem|point))\b"
    r"|.*\b(?:it|that|which|who|is|are|was|were|if|when|because|than|while|only)\b)",
    re.IGNORECASE,
)
CHINESE = re.compile(
    r"(?P<term>[^，。；：、“”（）\s][^，。；：、“”]{1,15}?)(?P<verb>是指|指的是|指|就是|是)(?P<rest>"
    r"(?:(?<=是指)|(?<=指的是)|[一两几三四五][种个组段项条类份张套台层]|把|由|用来|用于|为了|对|将)[^。；]{5,})[。；]?"
)
NOT_A_CHINESE_TERM = re.compile(
    r"[这那它此本其该他她我你您不谁都也只但而并且若如因则又还再更最很]|什么|关键|问题|如果|前者|后者|两者|上面|下面|以下|以上|一般|通常|目的|做法|办法|方法|结果|原因|横轴|纵轴"
)
MOST_WORDS = 5


def definitions(text: SourceText) -> Iterator[Draft]:
    """Draft `What is a chunk?` and `什么是倒排索引？` from the sentences that say so."""
    for piece in text.sentences:
        chinese = detect_language(piece.text) == "zh"
        found = _chinese(piece) if chinese else _english(piece)
        if found:
            question, answer = found
            language = "zh" if chinese else "en"
            yield Draft(question, language, "fact", answer, text.source, piece.page, piece.text, RULE)


def _english(piece: Piece) -> tuple[str, str] | None:
    found = ENGLISH.fullmatch(piece.text)
    if not found or glued(piece.text) or NOT_A_TERM.match(found["term"]) or len(found["term"].split()) > MOST_WORDS:
        return None
    first, _, others = found["term"].partition(" ")
    term = f"{first.lower()} {others}" if first in ("The", "A", "An") else found["term"]
    return f"What {'are' if found['verb'] == 'are' else 'is'} {term}?", found["rest"]


def _chinese(piece: Piece) -> tuple[str, str] | None:
    found = CHINESE.fullmatch(piece.text)
    if not found or NOT_A_CHINESE_TERM.match(found["term"]):
        return None
    return f"什么是{found['term'].strip()}？", found["rest"]
