"""Rule: what stands below a heading."""

import re
from collections.abc import Iterator

from khub.components.text.language import detect_language
from khub.eval.synth.draft import Draft
from khub.eval.synth.source_text import SourceText

RULE = "heading"
GENERAL = re.compile(
    r"(?:introduction|overview|summary|conclusions?|contents|references|appendix|notes?|background|总则|概述|简介|前言|引言|总结"
    r"|小结|附则|附录|目录|参考.*|说明)",
    re.IGNORECASE,
)
LEAST = 12


def headings(text: SourceText) -> Iterator[Draft]:
    """Draft what a document says under a heading; a heading that is a question is taken as it is."""
    for heading in text.headings:
        title, first = heading.title.strip(" :："), heading.first
        if len(first.text) < LEAST or GENERAL.fullmatch(title) or len(title) < 2:
            continue
        language = "zh" if detect_language(title) == "zh" else "en"
        if title.endswith(("?", "？")):
            question = title
        elif language == "zh":
            question = f"《{text.title}》对“{title}”是怎么说的？"
        else:
            question = f"What does “{text.title}” say about “{title}”?"
        yield Draft(question, language, "fact", first.text, text.source, first.page, first.text, RULE)
