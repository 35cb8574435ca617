"""Where an English question says to look: `in the PDF from last March`, `on page 5 of the handbook`, `tagged finance`.

A word is a cue by its frame alone: "in the PDF" says where, "how does PDF parsing work" says what. Questions about
the handling of files ("how do I extract tables from the PDF") have the same frames and are told by their verbs.
"""

import datetime
import re
from collections.abc import Iterator

from components.query.cues import Cue, masked
from components.query.date_words import ENGLISH_PERIOD, english_period
from components.query.known_names import KnownNames, compared
from components.query.periods import Period
from components.query.short_filters import period_filter, short_filter, title_filter

_I = re.IGNORECASE
_TYPE = (
    r"(?:(?P<pdf>pdfs?(?: (?:files?|documents?|docs?))?)|(?P<docx>word (?:files?|documents?|docs?)|docx(?: files?)?)"
    r"|(?P<xlsx>excel (?:sheets?|files?|workbooks?|spreadsheets?|tables?)|xlsx(?: files?)?|workbooks?)"
    r"|(?P<sheet>spreadsheets?)|(?P<csv>csvs?(?: files?)?)"
    r"|(?P<pptx>power ?points?(?: (?:slides|files?|decks?|presentations?))?|pptx?s?(?: (?:slides|files?))?"
    r"|slides|slide ?decks?|slide ?shows?)"
    r"|(?P<markdown>(?:markdown|md) (?:files?|documents?|docs?|notes?))|(?P<text>(?:text|txt) files?)"
    r"|(?P<html>html (?:files?|pages?|documents?))|(?P<json>json files?)|(?P<email>e-?mails)"
    r"|(?P<notebook>(?:jupyter|ipython) notebooks?))"
)
_VALUES = {"sheet": "xlsx,csv"}
_TYPE_NOUN = re.sub(r"\?P<\w+>", "?:", _TYPE)
_THE = (
    r"(?:(?:all|any|each|both|only|just)(?: of)? )?(?:the|my|our|your|their|this|that|these|those)"
    r"(?: (?!of|that)[\w-]+){0,2}? "
)
_IN = r"\b(?:in|from|within|inside|among|across|through|according to|per)"
_FOLLOW = (
    r"(?=\s*(?:$|[,.;:?!)])|\s+(?:from|about|on|of|that|which|who|whose|with|dated|uploaded|modified|updated|created"
    r"|added|written|named|called|titled|tagged|in|at|we|i|you|they|he|she|it|is|are|was|were|do|does|did|has|have|had"
    r"|can|should|must|will|what|how|when|where|why|say|says|said|mentions?|mentioned|states?|for|by|but|please|there"
    r"|regarding|concerning|since|before|after|(?:and|or) (?:in|from)(?: the)?)\b)"
)
_GENERIC = rf"(?:documents?|docs?|files?|notes?|presentations?|materials?|{_TYPE_NOUN})"
_WRITTEN = (
    r"(?:reports?|contracts?|minutes|memos?|e-?mails?|letters?|invoices?|policy|policies|agreements?|proposals?"
    r"|newsletters?|transcripts?|handbooks?|manuals?|guides?)"
)
_NOUN = rf"(?:{_GENERIC}|{_WRITTEN})"
# "the annual report from 2023" is about 2023, and was written later
_MODIFIERS = (
    r"(?:(?!annual|quarterly|monthly|yearly|interim|financial|earnings|fiscal|audit|of|from|and|or|to)[\w-]+ ){0,2}"
)
_HEAD = (
    rf"(?:{_IN}|\b(?:which|find|show|list|search|any|all|only|consult|read|check|summari[sz]e))"
    r"(?: (?:me|us|for|through|all|any|only))?(?: (?:the|my|our|your|these|those|this|that|a|an))?"
)
_TOUCHED = (
    r"(?P<verb>uploaded|added|ingested|imported|indexed|modified|updated|edited|changed|created|written|dated|saved)"
)
_INGESTED = ("uploaded", "added", "ingested", "imported", "indexed")
_SIDE = r"(?P<side>since|before|after|until|up to|newer than|older than|prior to)"

_NOT = re.compile(r"\b(?:not|except|excluding|ignoring|other than|but not)(?: (?:in|from))?\s*$", _I)
_NOT_ONLY = re.compile(r"\b(?:not (?:only|just)|outside(?: of)?|apart from|besides|instead of|rather than)\s*$", _I)
_HOW = re.compile(
    r"\b(?:how (?:do|to|can|does|should|would|could|are|is|did)|ways? to|steps? to|possible to|able to|what happens"
    r"|(?:can|could|may|shall|should|must) (?:i|we|it|one)|best (?:way|practices?|tool|library)|tools?|librar(?:y|ies)"
    r"|script|command|code|function|api|regex|parser|shortcut)\b",
    _I,
)
_VERBS = (
    r"extract|convert|export|import|load|pars|cop|past(?=e|ing)|print|sav|open|creat|generat|render|embed|insert|add|put|remov"
    r"|delet|edit|fill|sign|upload|download|rotat|merg|split|compress|stor|process|handl|support|index|detect"
    r"|recogni[sz]|ocr|tokeni[sz]|chunk|translat|highlight|annotat|encrypt|decrypt|unlock|protect|format|resiz|crop|scan"
    r"|display|set|configur|chang|enabl|disabl|implement|writ|find|search|locat|keep|kept|us(?=e|ing)|select|sort|link|read|hid"
    r"|preserv|call|treat|clean|count|normali[sz]|replac|renam|mov|show|updat|modif|nam|organi[sz]|structur|arrang"
)
_HANDLES = re.compile(rf"\b(?:{_VERBS})(?:e|es|s|ed|d|ing|ning|ting|y|ies|ied|ying|ten|ted|den)?\b", _I)
_HANDLED = re.compile(
    r"\b(?:embedded|stored|saved|encoded|inserted|compressed|rendered|drawn|printed|fill(?:ed|s)?|pasted|hidden|scanned"
    r"|copied|converted|put|type|log|parsed|extracted|exported|supported)\s*$",
    _I,
)
_IMPERATIVE = re.compile(
    rf"^(?:please )?(?!(?:search|find|show|list|read|count|updat)\w*\b)(?:{_VERBS})(?:e|y)?\b"
    r"(?!\s+(?:documents|files)\b)",
    _I,
)
_INNARDS = re.compile(
    r"\b(?:fonts?|bookmarks?|annotations?|hyperlinks?|metadata|watermarks?|macros?|formulas?|cells?|pivot|animations?"
    r"|transitions?|layers?|form fields?|encodings?|page numbers?|thumbnails?|hidden text|ligatures?)\b",
    _I,
)
_TYPE_IN = re.compile(rf"(?:{_IN}|\b(?:summari[sz]e|consult)) {_THE}{_TYPE}\b{_FOLLOW}", _I)
_TYPE_SEARCH = re.compile(
    rf"^(?:please )?(?:search|look (?:in|through)|only (?:search|in|from)) (?:only )?(?:in )?(?:the |all |our |my )*"
    rf"{_TYPE}\b{_FOLLOW}|\bonly (?:in|from) (?:the )?{re.sub('P<', 'P<only_', _TYPE)}\b{_FOLLOW}"
    rf"|^(?:which|find(?: me)?(?: all| the)?|list(?: all| the)?|show(?: me)?(?: all| the)?) "
    rf"{re.sub('P<', 'P<which_', _TYPE)}\b(?= (?:mention|contain|discuss|cover|describe|are about|talk about|about"
    rf"|that|say|on|from|dated)\b)",
    _I,
)
_DATED = re.compile(
    rf"{_HEAD} {_MODIFIERS}{_NOUN}(?P<said> (?:from|dated)(?: (?:in|on))? (?P<period>{ENGLISH_PERIOD})){_FOLLOW}", _I
)
_SIDED = re.compile(
    rf"{_HEAD} {_MODIFIERS}{_GENERIC}(?P<said> (?:from )?{_SIDE} (?P<period>{ENGLISH_PERIOD})){_FOLLOW}", _I
)
_OWNED = re.compile(rf"{_IN} (?P<said>(?P<period>{ENGLISH_PERIOD})(?:'s|’s)) {_MODIFIERS}{_NOUN}\b", _I)
_WAS_TOUCHED = re.compile(
    rf"\b{_NOUN}(?P<said>(?: (?:that|which))?(?: (?:were|was|are|have been|has been|i|we|you|they))? {_TOUCHED}"
    rf"(?: (?:in|on|during|within|over|{_SIDE}))? (?P<period>{ENGLISH_PERIOD})){_FOLLOW}",
    _I,
)
_PREDICATE = re.compile(r" (?:were|was|are|have been|has been)\b", _I)
_WHICH = re.compile(r"(?:which|what)\b", _I)
_PAGE = re.compile(
    r"(?:\b(?:on|from|see|at) |(?<=\bsummari[sz]e )"
    r"|(?:(?<=\bwhat does )|(?<=\bwhat do )|(?<=\bwhat did ))"
    r"(?=.{0,80}\b(?:say|show|contain|cover|describe|mention|tell)\b))"
    r"(?:pages?|pp?\.|slides?) ?(?P<first>\d{1,4})"
    r"(?: ?(?:-|–|to|through|and) ?(?:pages? )?(?P<last>\d{1,4}))?"
    r"(?P<of> (?:of|in|from) )?(?=\s*(?:$|[,.;:?!)])|\s|(?<= ))",
    _I,
)
_OF_TYPE = re.compile(rf"(?:the |this |that |my |our ){_TYPE}\b{_FOLLOW}", _I)
_LANGUAGE = re.compile(
    rf"(?:{_IN}|\b(?:which|what|find|show|list|search|any|only|all))(?: (?:me|the|all|our|my|any|only|for))* "
    r"(?:documents?|docs?|files?|papers|reports|sources|materials|texts)"
    r"(?P<said> (?:written )?in (?P<language>chinese|english))\b"
    rf"|{_IN} (?P<these>(?:the |all |our |my |only )+(?P<adjective>chinese|english)(?:[- ]language)?) "
    r"(?:documents?|docs?|files?|papers|reports|sources|materials|texts)\b",
    _I,
)
_ASKS_HOW = re.compile(r"^(?:how|why|does|do|is|are|can|could|should|will|what happens)\b", _I)
_FILE = re.compile(r"(?P<name>[\w\u4e00-\u9fff][\w\u4e00-\u9fff.+()-]*\.[a-z]{2,8})\b", _I)
_BEFORE_NAME = re.compile(
    r"(?:(?P<place>\b(?:in|from|within|inside|according to|per|see))|page \d+ of|pages \d+(?: ?(?:-|to) ?\d+)? of"
    r"|\bwhat (?:does|do|did))(?: (?:the )?(?:file|document|doc|pdf|spreadsheet|presentation))?"
    r"(?: (?:called|named|titled))? $",
    _I,
)
_TITLED = re.compile(
    r"(?:(?P<place>\b(?:in|from|within|inside|according to|per))|\b(?:page|section|chapter|clause|article|part)"
    r" [\w.]+ of|\bwhat (?:does|do))(?: (?P<the>the|our|my|this))?"
    r"(?: (?P<kind>file|document|doc|report|book)(?: (?:called|named|titled))?)? "
    r"(?=(?P<rest>\S.*))",
    _I,
)
_FOLDER = re.compile(
    rf"{_IN} (?:(?:the|my|our) )?(?:(?P<name>[\w\u4e00-\u9fff./-]+) (?:folder|directory|subfolder)"
    r"|(?:folder|directory) (?P<after>[\w\u4e00-\u9fff./-]+)"
    rf"|(?P<slash>[\w\u4e00-\u9fff-]+(?:/[\w\u4e00-\u9fff-]+)*/)){_FOLLOW}"
    r"|\bunder (?P<under>[\w\u4e00-\u9fff-]+(?:/[\w\u4e00-\u9fff-]+)*/)",
    _I,
)
_TAGGED = re.compile(r"\b(?:tagged(?: (?:with|as))?|(?:with|having) (?:the )?tags?) (?=(?P<rest>\S.*))", _I)
WORDS_IN_A_NAME = 8
LONGEST_GAP = 20  # characters between "page 5 of" and the name: "the document called"


def english_cues(question: str, names: KnownNames, today: datetime.date) -> Iterator[Cue]:
    """Yield the cues of a question.

    :param question: as it was typed.
    :param names: what the collection knows.
    :param today: the day from which dates are spoken.
    """
    plain = masked(question)
    documents = list(_documents(question, names))
    yield from documents
    yield from _tags(question, names)
    if _asks_for_handling(plain):
        return
    yield from _types(plain)
    yield from _dates(plain, today)
    yield from _pages(plain, documents)
    yield from _languages(plain)
    yield from _folders(plain, names)


def _asks_for_handling(plain: str) -> bool:
    """Say whether the question is about doing something with files, or about what they are made of."""
    if _INNARDS.search(plain) or _IMPERATIVE.search(plain):
        return True
    how = _HOW.search(plain)
    return bool(how and _HANDLES.search(plain, how.end()))


def _types(plain: str) -> Iterator[Cue]:
    for pattern in (_TYPE_IN, _TYPE_SEARCH):
        for match in pattern.finditer(plain):
            before = plain[: match.start()]
            if _HANDLED.search(before) or _NOT_ONLY.search(before):
                continue
            negated = _NOT.search(before)
            start = negated.start() if negated else match.start()
            yield Cue(start, match.end(), short_filter("type", _type_of(match), bool(negated)), f"type{bool(negated)}")


def _type_of(match: re.Match[str]) -> str:
    name = next(name for name, found in match.groupdict().items() if found)
    name = name.removeprefix("only_").removeprefix("which_")
    return _VALUES.get(name, name)


def _dates(plain: str, today: datetime.date) -> Iterator[Cue]:
    for pattern in (_DATED, _SIDED, _OWNED, _WAS_TOUCHED):
        for match in pattern.finditer(plain):
            groups = match.groupdict()
            period = english_period(match["period"], today)
            if period is None or (_PREDICATE.match(match["said"]) and not _WHICH.match(plain)):
                continue
            key = "ingested" if (groups.get("verb") or "").lower() in _INGESTED else "modified"
            bounded = _on_its_side(period, (groups.get("side") or "").lower())
            yield Cue(match.start("said"), match.end("said"), period_filter(key, bounded), "date")


def _on_its_side(period: Period, side: str) -> Period:
    if side == "since":
        return Period(period.first, None)
    if side in ("after", "newer than"):
        return period.after()
    if side in ("until", "up to"):
        return Period(None, period.last)
    return period.before() if side else period


def _pages(plain: str, documents: list[Cue]) -> Iterator[Cue]:
    for match in _PAGE.finditer(plain):
        end, rest = match.end(), match.end()
        if match["of"]:
            kind = _OF_TYPE.match(plain, rest)
            if kind:
                yield Cue(match.start(), kind.end(), short_filter("type", _type_of(kind)), "typeFalse")
            elif not any(rest <= cue.end and cue.start <= rest + LONGEST_GAP for cue in documents):
                continue  # a page of something that is not here
        pages = match["first"] + (f"-{match['last']}" if match["last"] else "")
        if int(match["last"] or match["first"]) >= int(match["first"]) > 0:
            yield Cue(match.start(), end, short_filter("page", pages), "page")


def _languages(plain: str) -> Iterator[Cue]:
    if _ASKS_HOW.search(plain):
        return
    for match in _LANGUAGE.finditer(plain):
        said = "said" if match["said"] else "adjective"
        language = match["language"] or match["adjective"]
        yield Cue(match.start(said), match.end(said), short_filter("lang", _CODES[language.lower()]), "language")


_CODES = {"chinese": "zh", "english": "en"}


def _folders(plain: str, names: KnownNames) -> Iterator[Cue]:
    for match in _FOLDER.finditer(plain):
        named = next(filter(None, match.group("name", "after", "slash", "under"))).strip("/")
        for folder in sorted(names.folders.get(compared(named.split("/")[-1]), ())):
            path = "/".join([*named.split("/")[:-1], folder])
            yield Cue(match.start(), match.end(), short_filter("path", f'"{path}/*"'), "folder")


def _documents(question: str, names: KnownNames) -> Iterator[Cue]:
    """Find files and titles that the collection knows, where the question says to look in them."""
    for match in _FILE.finditer(question):
        before = _BEFORE_NAME.search(question[: match.start()])
        for name in sorted(names.files.get(compared(match["name"]), ())) if before else ():
            start = before.start() if before and before["place"] else match.start()
            yield Cue(start, match.end(), short_filter("path", f'"{name}"'), "document")
    for match in _TITLED.finditer(question):
        if found := _leading_name(match["rest"], names.titles, bool(match["kind"]), bool(match["the"])):
            end = match.start("rest") + found[1]
            start = match.start() if match["place"] else match.start("the" if match["the"] else "rest")
            for title in sorted(found[0]):
                yield Cue(start, end, title_filter(title), "document")


def _leading_name(rest: str, known: dict[str, set[str]], named: bool, the: bool) -> tuple[set[str], int] | None:
    """Return the longest known name that the text begins with, and its length; a short one must be marked as a name."""
    quoted = re.match(r"[\"“‘'](?P<name>[^\"”’']+)[\"”’']", rest)
    if quoted:
        found = known.get(compared(quoted["name"]))
        return (found, quoted.end()) if found else None
    words = list(re.finditer(r"[\w&'’./+-]*\w", rest))[:WORDS_IN_A_NAME]
    for last in range(len(words), 0, -1):
        end = words[last - 1].end()
        found = known.get(compared(rest[:end]))
        marked = named or (the and last > 1) or (last > 1 and rest[:1].isupper())
        if (
            found
            and marked
            and (named or re.match(rf"{_FOLLOW}(?! of\b)|['’]s\b|\s+(?:document|file)\b", rest[end:], _I))
        ):
            return found, end
    return None


def _tags(question: str, names: KnownNames) -> Iterator[Cue]:
    for match in _TAGGED.finditer(question):
        found = _leading_name(match["rest"], names.tags, named=True, the=True)
        for tag in sorted(found[0]) if found else ():
            yield Cue(
                match.start(), match.start("rest") + (found[1] if found else 0), short_filter("tag", f'"{tag}"'), "tag"
            )
