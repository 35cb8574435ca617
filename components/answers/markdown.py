"""Write cited passages as Markdown that people and models read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from khub.components.answer import AppliedFilter, Citation, Degraded
from khub.components.answers.answer_line import answer_line
from khub.components.answers.applied_filters import by_page
from khub.components.answers.bold import with_bold
from khub.components.answers.excerpt import excerpt
from khub.components.answers.figures import page_of
from khub.components.answers.highlight import IMAGE
from khub.components.answers.not_shown import NotShown
from khub.components.catalog.parts import shown_name
from khub.components.text.hidden_characters import on_one_line

WORDS = {
    "en": {
        "one": "1 passage found:",
        "found": "{n} passages found:",
        "unsure": "The documents may not answer this.",
        "none": "The documents searched hold no passage that answers this question.",
        "page": "page {page}",
        "omitted": "Passages from [{n}] on do not fit here; the answer as JSON has them.",
        "degraded": "Note: a part of the search failed ({reasons}); the result may be incomplete.",
        "left_out": "Note: a stage did not run ({reasons}); the passages stand in the order they have without it.",
        "synonyms": "Note: a part of the synonyms is not used ({reasons}).",
        "filtered": "Only searched: {filters}.",
        "unmatched": "No document matches {filters}.",
        "pageless": "Documents that have no pages were searched, too.",
        "dropped": "Not filtered by: {filters}.",
        "no_field": "No document has a field {field}.",
        "meant": "No document has a field {field}: did you mean `{meant}`?",
        "fields": "Fields are: {fields}.",
        "only": "This says only where to look: add what to look for, or list the documents (`khub list`).",
        "unknown": "No document holds {terms}.",
        "not_shown": "None of these passages names {terms}.",
        "not_first": "Passage [1] does not name {terms}.",
        "corrected": "Searched for {words}.",
        "instead": "{word} instead of {typed}",
        "nearest": "Nearest: {places}.",
        "nearest_says": "The nearest says: {answer}",
        "image": "image: {image}",
        "figure": "[figure]",
        "also": "Also in: {places}.",
        "of": "{name} ({place})",
        "comma": ", ",
    },
    "zh": {
        "one": "找到 1 段相关内容：",
        "found": "找到 {n} 段相关内容：",
        "unsure": "这些文档未必能回答这个问题。",
        "none": "在检索的文档中没有找到能回答这个问题的内容。",
        "page": "第 {page} 页",
        "omitted": "从 [{n}] 起的内容因篇幅所限未列出，JSON 形式的回答里都有。",
        "degraded": "注意：部分检索失败（{reasons}），结果可能不完整。",
        "left_out": "注意：有阶段未执行（{reasons}），段落按没有它时的次序排列。",
        "synonyms": "注意：有些同义词没有用上（{reasons}）。",
        "filtered": "检索范围：{filters}。",
        "unmatched": "没有文档符合 {filters}。",
        "pageless": "没有页码的文档也在检索之列。",
        "dropped": "未按此筛选：{filters}。",
        "no_field": "没有文档有字段 {field}。",
        "meant": "没有文档有字段 {field}：是不是想用 `{meant}`？",
        "fields": "可用的字段：{fields}。",
        "only": "这里只说了在哪里找：请加上要找什么，或者列出文档（`khub list`）。",
        "unknown": "没有文档提到 {terms}。",
        "not_shown": "这些段落都没有提到 {terms}。",
        "not_first": "段落 [1] 没有提到 {terms}。",
        "corrected": "检索时已更正：{words}。",
        "instead": "{typed} 按 {word} 检索",
        "nearest": "最接近的文档：{places}。",
        "nearest_says": "最接近的内容：{answer}",
        "image": "图片：{image}",
        "figure": "[图]",
        "also": "另见：{places}。",
        "of": "{name}（{place}）",
        "comma": "、",
    },
}
SYNONYMS = "synonyms"
"""The stage that fails by a line of the user's file: nothing of the search is missing."""
WIDE_COST = 1.5
NOTE_CHARACTERS = 300
NAME_CHARACTERS = 100
ANSWER_CHARACTERS = 300
NEAREST_CHARACTERS = 80
TELLING, AROUND = 40, 160
"""A sentence that is shorter says nothing by itself: so much is shown around it."""
PLACE_CHARACTERS = 50
FILTERS_CHARACTERS = 60
NAMED_FILTERS = 4
SHARE_OF_NOTES = 0.6
ROOM_OF_OMITTED = 50
LEAST_SHARE = 400
MOST_NAMED = 3
WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U0001f300-\U0003fffd]+"
)
SPECIAL = re.compile(r"[\\`*\[\]<]|&(?=#|\w+;)")


def passages_as_markdown(
    citations: Sequence[Citation],
    notes: list[str],
    language: str,
    budget: float,
    sure: bool = True,
    not_shown: str = "",
    whole_from: float = 0.0,
) -> str:
    """Say the evidence of the first passage, and list all, each under its mark `[n]` with its place, as block quotes.

    The sentence that carries the match is in bold; pictures of the passage and other places of the same text are
    named below it, up to three of each, and text from around the passage stands in its quote where there is room. Where
    a picture stands in the text, it says so without the picture's id.

    Retrieved text is data: every line of it is quoted, and brackets in names are escaped, so that none can pass for
    another mark or a heading. Each passage gets an equal part of the room that the ones before it have left, but
    no less than a few sentences; the last ones are left out of the text when the room is at an end.

    :param notes: what stands at the end, a paragraph each, the most important first; left out where they are too long.
    :param language: `zh` or `en`, of the fixed words.
    :param budget: the most that the whole may cost (see `text_cost`).
    :param sure: whether the passages are taken to answer the question; if not, the first line says so.
    :param not_shown: what the first line says of that which the question names and no passage holds.
    :param whole_from: of a passage whose score is a smaller share (0 to 1) of the best one, only the sentence that
        carries the match is quoted.
    :returns: Markdown.
    """
    words = WORDS[language]
    intro = _first_line(citations, words, not_shown or ("" if sure else words["unsure"]))
    notes = _fitting(notes, SHARE_OF_NOTES * budget)
    room = budget - text_cost("\n\n".join([intro, *notes])) - ROOM_OF_OMITTED * WIDE_COST
    blocks = [intro]
    least = whole_from * max((citation.score for citation in citations), default=0.0)
    for index, citation in enumerate(_folded(one) if one.score < least else one for one in citations):
        share = min(room, max(room / (len(citations) - index), LEAST_SHARE))
        head, foot = _heading(citation, words) + "\n\n", _footing(citation, words)
        around = text_cost(head + foot) + 4
        quote, cost = _quote(citation, share - around, words["figure"])
        if not quote:
            blocks.append(words["omitted"].format(n=citation.id))
            break
        blocks.append(head + quote + foot)
        room -= cost + around
    return "\n\n".join([*blocks, *notes])


def _folded(citation: Citation) -> Citation:
    """Return a citation of which only the sentence that carries the match is left to quote, or a little around it."""
    said = answer_line(citation)
    if text_cost(said) < TELLING and not citation.evidence.startswith("|"):
        said = excerpt(citation.text, AROUND, citation.evidence)
    return replace(citation, text=said, evidence="", context=None) if said else citation


def _first_line(citations: Sequence[Citation], words: dict[str, str], doubt: str) -> str:
    """Return what the answer begins with: the evidence of the first passage, after what there is to doubt."""
    said = plain(answer_line(citations[0]), ANSWER_CHARACTERS) if citations else ""
    if not said:
        found = words["one"] if len(citations) == 1 else words["found"].format(n=len(citations))
        return f"{doubt} {found}".strip()
    answer = f"“{said}” [{citations[0].id}]"
    return f"{doubt} {words['nearest_says'].format(answer=answer)}" if doubt else answer


def no_answer(nearest: Sequence[Citation], notes: list[str], language: str, budget: float) -> str:
    """Say in one sentence that nothing was found, and which documents come nearest, and where in them.

    :param nearest: passages, the nearest first; up to three different documents are named, each with the page of its
        first passage or, without pages, its section.
    :param notes: what stands at the end, a paragraph each, the most important first; left out where they are too long.
    :param language: `zh` or `en`.
    :param budget: the most that the whole may cost.
    :returns: Markdown.
    """
    words = WORDS[language]
    first = {passage.source: passage for passage in reversed(nearest)}
    places = [_nearest(passage, words) for passage in nearest if first[passage.source] is passage][:MOST_NAMED]
    near = [words["nearest"].format(places=words["comma"].join(places))] if places else []
    text = "\n\n".join([words["none"], *near])
    return "\n\n".join([text, *_fitting(notes, budget - text_cost(text) - 2)])


def _fitting(notes: list[str], room: float) -> list[str]:
    kept: list[str] = []
    for note in notes:
        cost = text_cost(note) + 2
        if cost <= room:
            kept.append(note)
            room -= cost
    return kept


def filter_notes(applied: Sequence[AppliedFilter], language: str) -> list[str]:
    """Say which filters decided what was searched, and which did not although the question names them.

    :param language: `zh` or `en`.
    :returns: a line each, none where there is nothing to say.
    """
    words = WORDS[language]
    applied_or_not: dict[str, list[str]] = {"filtered": [], "unmatched": [], "dropped": []}
    for one in applied:
        names = applied_or_not["dropped" if one.dropped else "unmatched" if one.unmatched else "filtered"]
        if len(names) < NAMED_FILTERS:
            names.append(_filter(one, words))
        elif names[-1] != "…":
            names.append("…")
    return [words[kind].format(filters=words["comma"].join(names)) for kind, names in applied_or_not.items() if names]


def field_notes(applied: Sequence[AppliedFilter], language: str) -> list[str]:
    """Say which fields of the caller's filter no document has, and which was meant or which there are.

    :param language: `zh` or `en`.
    """
    words, notes = WORDS[language], list[str]()
    rest: Sequence[str] = ()
    for one in applied:
        for unknown in one.unknown_fields[:NAMED_FILTERS]:
            field, meant = f"`{_code(unknown.field, FILTERS_CHARACTERS)}`", unknown.meant
            notes.append(words["meant" if meant else "no_field"].format(field=field, meant=meant))
            rest = rest if meant else one.fields
    told = words["comma"].join(f"`{_code(name, FILTERS_CHARACTERS)}`" for name in rest)
    return [*notes, words["fields"].format(fields=told)] if told else notes


def pageless_note(applied: Sequence[AppliedFilter], citations: Sequence[Citation], language: str) -> str:
    """Say that a filter by pages left passages without one, where some of these are cited; empty where none is.

    :param language: `zh` or `en`.
    """
    return WORDS[language]["pageless"] if by_page(applied) and any(one.page is None for one in citations) else ""


def unknown_note(names: Sequence[str], query: str, language: str) -> str:
    """Say which names and codes of the question no document holds; empty when there are none.

    :param names: in lower case.
    :param query: the question, whose spelling of them is shown.
    :param language: `zh` or `en`.
    """
    return _named("unknown", names, query, language)


def not_shown_note(absent: NotShown, told: str, query: str, language: str) -> str:
    """Say which names of the question none of the passages holds, or not the first one; empty when there are none.

    :param told: what is said of names that no document holds: it is not said again.
    :param query: the question, whose spelling of them is shown.
    :param language: `zh` or `en`.
    """
    anywhere = [name for name in absent.anywhere if name not in told.lower()]
    return _named("not_shown", anywhere, query, language) or _named("not_first", absent.first, query, language)


def _named(said: str, names: Sequence[str], query: str, language: str) -> str:
    words, lowered = WORDS[language], query.lower()
    spelled = [query[at : at + len(name)] if (at := lowered.find(name.lower())) >= 0 else name for name in names]
    told = words["comma"].join(f"`{_code(name, FILTERS_CHARACTERS)}`" for name in spelled[:NAMED_FILTERS])
    return words[said].format(terms=told) if told else ""


def corrected_note(corrections: Mapping[str, str], language: str) -> str:
    """Say which words are searched for instead of mistyped ones; empty when there are none.

    :param corrections: word as it was typed -> word that is searched for.
    :param language: `zh` or `en`.
    """
    words = WORDS[language]
    pairs = [
        words["instead"].format(word=f"`{_code(word)}`", typed=f"`{_code(typed)}`")
        for typed, word in corrections.items()
    ]
    return words["corrected"].format(words=words["comma"].join(pairs)) if pairs else ""


def _filter(one: AppliedFilter, words: dict[str, str]) -> str:
    name = f"`{_code(one.text, FILTERS_CHARACTERS)}`"
    reason = one.dropped or (one.words if one.words != one.text else "")
    return words["of"].format(name=name, place=plain(reason, FILTERS_CHARACTERS)) if reason else name


def degraded_note(degraded: Sequence[Degraded], language: str, leg_failed: bool) -> str:
    """Return one line about the failures, empty when there are none.

    :param leg_failed: whether a leg is among what failed: else no passage is missing.
    """
    if degraded and all(entry.stage == SYNONYMS for entry in degraded):
        reasons = plain("; ".join(entry.reason for entry in degraded), NOTE_CHARACTERS)
        return WORDS[language]["synonyms"].format(reasons=reasons)
    reasons = plain("; ".join(f"{entry.stage}: {entry.reason}" for entry in degraded), NOTE_CHARACTERS)
    return WORDS[language]["degraded" if leg_failed else "left_out"].format(reasons=reasons) if degraded else ""


def text_cost(text: str) -> float:
    """Return the length in characters, wide East Asian ones counted as one and a half.

    A token of a language model is about 1 Chinese or 4 Latin characters: 12,000 stay under 8,000 tokens in either.
    """
    return len(text) if text.isascii() else len(text) + (WIDE_COST - 1) * (len(text) - len(WIDE.sub("", text)))


def block_quote(text: str) -> str:
    """Quote every line, whatever character ends it."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _quote(citation: Citation, room: float, figure: str) -> tuple[str, float]:
    """Return the quote and what it costs; an empty one where there is no room."""
    shown, evidence = (IMAGE.sub(figure, text) for text in (citation.text, citation.evidence))
    quote, cost = _quote_within(shown, evidence, room)
    for side in ("after", "before", "section") if quote and citation.context else ():
        text = block_quote(IMAGE.sub(figure, getattr(citation.context, side)))
        longer = f"{quote}\n>\n{text}" if side == "after" else f"{text}\n>\n{quote}"
        if text and (longer_cost := text_cost(longer)) <= room:
            quote, cost = longer, longer_cost
    return quote, cost


def _quote_within(text: str, evidence: str, room: float) -> tuple[str, float]:
    limit = int(room)
    while limit > 0:
        quote = block_quote(with_bold(excerpt(text, limit, evidence), evidence)) or ">"
        cost = text_cost(quote)
        if cost <= room:
            return quote, cost
        limit = min(limit - 1, int(limit * room / cost))
    return "", 0.0


def _footing(citation: Citation, words: dict[str, str]) -> str:
    lines = [
        words["image"].format(image=_of_page(image_id, page_of(image_id), words))
        for image_id in citation.images[:MOST_NAMED]
    ]
    places = [_of_page(shown_name(place.source or ""), place.page, words) for place in citation.also_in[:MOST_NAMED]]
    if places:
        lines.append(words["also"].format(places=words["comma"].join(places)))
    return "".join(f"\n\n{line}" for line in lines)


def _of_page(name: str, page: int | None, words: dict[str, str]) -> str:
    code = f"`{_code(name)}`"
    return code if page is None else words["of"].format(name=code, place=words["page"].format(page=page))


def _heading(citation: Citation, words: dict[str, str]) -> str:
    name, place = name_and_place(citation, words)
    return " — ".join(filter(None, [f"**[{citation.id}] {name}**", place]))


def name_and_place(citation: Citation, words: dict[str, str]) -> tuple[str, str]:
    """Return title and headings of a passage, and the file and page where it stands, both fit for Markdown.

    :param words: of `WORDS`.
    """
    file = citation.url or shown_name(citation.source)
    path = [citation.title, *citation.section.split(" > ")]
    steps = [step for index, step in enumerate(path) if step and step not in path[:index]]
    place = [] if steps == [file] else [f"`{_code(file)}`"]
    if page := _page(citation, words):
        place.append(page)
    return " › ".join(plain(step, NAME_CHARACTERS) for step in steps), ", ".join(place)


def _nearest(citation: Citation, words: dict[str, str]) -> str:
    name, title = citation.url or shown_name(citation.source), citation.title
    file, section = f"`{_code(name, PLACE_CHARACTERS)}`", citation.section.rpartition(" > ")[2]
    place = _page(citation, words) or ("" if section == title else plain(section, PLACE_CHARACTERS))
    inside = words["comma"].join(filter(None, ["" if title == name else file, place]))
    shown = file if title == name else f'"{plain(title, NEAREST_CHARACTERS)}"'
    return words["of"].format(name=shown, place=inside) if inside else shown


def _page(citation: Citation, words: dict[str, str]) -> str:
    if citation.time_mark:
        return f"[{citation.time_mark}]"
    return words["page"].format(page=citation.page) if citation.page is not None else ""


def plain(text: str, limit: int) -> str:
    """Return text on one line, cut to a length, without anything that Markdown would read as a mark."""
    return SPECIAL.sub(lambda match: "\\" + match.group(), _clipped(text, limit))


def _code(text: str, limit: int = NAME_CHARACTERS) -> str:
    """Make text fit for a code span, where nothing can be escaped."""
    return _clipped(text, limit).translate({ord("`"): "'", ord("["): "(", ord("]"): ")"})


def _clipped(text: str, limit: int) -> str:
    line = on_one_line(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"
