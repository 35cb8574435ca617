"""Rule: numbers with units."""

import re
from collections.abc import Iterator

from khub.components.text.language import detect_language
from khub.eval.synth.draft import Draft
from khub.eval.synth.source_text import Piece, SourceText, glued

RULE = "number"
NUMBER = r"[0-9][0-9,]*(?:\.[0-9]+)?"
ENGLISH_NUMBER = rf"(?:{NUMBER}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)"
UNITS = (
    r"(?:ms|s|min|h|m/s|km/h|mm|cm|m|km|mg|g|kg|t|%|percent|KB|MB|GB|TB|KiB|MiB|GiB|V|A|Ah|W|kW|kWh|Hz|kHz|MHz|GHz"
    r"|°C|°F|dB\(A\)|dB|EUR|USD|euros?|dollars?|bytes?|bits?|characters|tokens|words|pages|seconds?|minutes?|hours?"
    r"|days?|weeks?|months?|years?|times|pieces|chunks|passages|dimensions|questions|documents|users|robots|percent)"
)
VALUE = rf"(?:about |around |up to |at most |at least |no more than |more than )?{ENGLISH_NUMBER} ?{UNITS}(?![\w/])"
IS = re.compile(
    rf"(?P<subject>(?:The|Its|An?) [a-z][\w' -]{{3,60}}?) (?P<verb>is|are|was|were)"
    rf" (?P<value>{VALUE})(?P<rest>[^.;]*)[.;]?"
)
MAY_BE = re.compile(
    rf"(?P<subject>[A-Z][\w' -]{{3,60}}?) (?P<verb>must not exceed|may not exceed|must be|may be"
    rf"|is limited to|are limited to|can be|should be) (?P<value>{VALUE})(?P<rest>[^.;]*)[.;]?"
)
DOES = re.compile(
    rf"(?P<subject>[A-Z][\w' -]{{3,60}}?) (?P<verb>takes|lasts|weighs|costs|needs|holds|has|keeps|allows|gives|counts)"
    rf" (?P<value>{ENGLISH_NUMBER}) (?P<unit>[a-z]+s|percent)\b(?P<rest>[^.;]*)[.;]?"
)
LINE = re.compile(
    rf"(?P<name>[A-Z][A-Za-z][A-Za-z ,()/-]{{4,50}}?) (?P<value>{NUMBER}(?: to {NUMBER})? {UNITS})(?: .{{0,40}})?"
)
PLAIN = re.compile(r"(?:it|this|that|these|those|there|they|he|she|we|you|which|what)\b", re.IGNORECASE)
ARTICLE = re.compile(r"(?:the|an?|its|it|this|that|these|those|there|they|we|you|which|what)\b", re.IGNORECASE)
OPEN_END = re.compile(r" (?:within|at|under|over|of|in|to|for|by|than|and|or|is|are|about|every|after|before|the|a)$")
BASE = {"has": "have"}

CHINESE_NUMBER = rf"(?:{NUMBER}|[一二两三四五六七八九十百千]+)"
CHINESE_UNITS = (
    r"(?:个工作日|工作日|毫秒|秒|分钟|小时|天|日内|周|个月|月内|年|万元|元|公里|米|毫米|厘米|千克|公斤|吨|克|GB|MB|KB|倍|%"
    r"|字节|比特|维|位|字|个字|字符|个字符|词元|个词元|人|台|次|种|核|页|条|级|度|个名次|个窗口|个候选)"
)
CLAUSE = re.compile(
    rf"(?P<subject>[^，。；：、（）]{{3,24}}?)(?P<verb>不得超过|不得少于|不超过|不少于|不低于|上限[为是]|下限[为是]|最多为?|最少为?"
    rf"|至少为?|等于|达到|约为|为|是)(?P<per>每[人间台天次个页]+)?\s?(?P<value>(?P<number>{CHINESE_NUMBER})\s?(?P<unit>{CHINESE_UNITS}))"
    rf"(?=[，。；、（）]|$|以内|以上|以下)"
)
LEAD = re.compile(r"(?:其中|并且|而且|但是|因此|所以|每次|且|并|但|而|则|均|也|都|即|就)+")
VAGUE = re.compile(r"(?:[这那它此其该他她]|两者|前者|后者|如果|若|当).*|.*[则就也都是的]")


def numbers(text: SourceText) -> Iterator[Draft]:
    """Draft `What is the charging time?` and `时钟误差不得超过多少秒？` from sentences and from lines of PDFs."""
    for piece in text.sentences:
        chinese = detect_language(piece.text) == "zh"
        found = _chinese(piece) if chinese else _english(piece)
        if found:
            question, answer = found
            yield Draft(question, "zh" if chinese else "en", "fact", answer, text.source, piece.page, piece.text, RULE)
    for piece in text.lines:
        line = LINE.fullmatch(piece.text)
        if line and not ARTICLE.match(line["name"]) and not OPEN_END.search(line["name"]):
            question = f"What is the {_lower(line['name'])}?"
            yield Draft(question, "en", "table", line["value"], text.source, piece.page, piece.text, RULE)


def _english(piece: Piece) -> tuple[str, str] | None:
    if glued(piece.text):
        return None
    for form in (IS, MAY_BE, DOES):
        found = form.fullmatch(piece.text)
        if not found or PLAIN.match(found["subject"]) or " that " in found["subject"]:
            continue
        subject, verb = _lower(found["subject"]), found["verb"]
        if form is DOES:
            plural = subject.rpartition(" ")[2].endswith("s") and verb == "have"
            asked = f"How many {found['unit']} {'do' if plural else 'does'} {subject} {BASE.get(verb, verb[:-1])}?"
            return asked, f"{found['value']} {found['unit']}"
        if form is IS:
            return f"What {verb} {subject}?", found["value"]
        return f"What is the limit: {subject} {verb} how much?", found["value"]
    return None


def _chinese(piece: Piece) -> tuple[str, str] | None:
    for found in CLAUSE.finditer(piece.text):
        subject = LEAD.sub("", found["subject"], count=1) if LEAD.match(found["subject"]) else found["subject"]
        subject = subject.strip()
        if len(subject) >= 3 and not VAGUE.fullmatch(subject) and re.search(r"[\u4e00-\u9fff]{2}", subject):
            asked = "百分之多少" if found["unit"] == "%" else f"多少{found['unit'].removesuffix('内')}"
            return f"{subject}{found['verb']}{found['per'] or ''}{asked}？", found["value"]
    return None


def _lower(text: str) -> str:
    """Begin with a small letter, unless it is a name or an abbreviation."""
    first, gap, others = text.partition(" ")
    return f"{first.lower()}{gap}{others}" if first[1:].islower() or len(first) == 1 else text
