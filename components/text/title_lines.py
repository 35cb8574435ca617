"""Which lines can be the title of a document, and which of them say little by themselves."""

import re
from collections.abc import Sequence

from khub.components.text.heading_numbers import number_of
from khub.components.text.leaders import LEADERS
from khub.components.text.part_headings import is_part_heading
from khub.components.text.title_words import WEAK, title_weight

PARTED = " · "
"""Stands between the parts of a title that were shown apart."""
_LABEL = re.compile(
    r".*[:：]|[^:：]{0,8}(?:题\s*目|名\s*[称稱]|姓名|人|日期|时间|版本|编号|代码|代碼|学号|单位|部门|作者|导师|教师|老师|地址|电话|班级|专业"
    r"|组长|组员|成员)\s*+(?:[(（][^()（）]{1,6}[)）])?\s*+[:：].*|[\u3400-\u9fff]\s+[\u3400-\u9fff]\s+[\u3400-\u9fff\d]{2}.*"
    r"|(?:(?:report|document|paper)\s+)?(?:submitted|presented|prepared|developed|written|published|edited|compiled"
    r"|translated)\s+(?:by|to|for|at)\b.*|by\s+[A-Z].*"
    r"|[(（].*[)）]\d{0,2}|(?:copyright\b|©|\(c\)).*|(?>.*?\ball rights reserved\b).*|(?:page|seite) \d.*"
    r"|(?>(?:please|do not|if you|see|read)\b.*?\b(?:instructions?|form|below|before|page|box)\b).*"
    r"|摘\s*要.*|请(?:在|按|将|先|仔细|认真|务必|阅读|填|勾|注意|确认|不要|勿).*|填[表写]说明.*|.*[。；;，,、]",
    re.IGNORECASE,
)
"""A label and what stands behind it, who made the document, how it is to be used, or a sentence."""
_TOPIC = re.compile(
    r"(?:[论論]文|[課课][题題]|毕业设计|畢業設計)?\s*+(?:[题題]\s*目|(?:[課课]\s*[题題]|[实實]\s*[验驗]|[项項]\s*目|[软軟]\s*件)"
    r"\s*名\s*[称稱])(?:\s*+[:：]\s*+|\s++)(\S.{5,60})"
)
_GOES_ON = re.compile(r"(?!.*[:：])(?=[^\s\d]{4})(?:(?![\u3400-\u9fff]\s+[\u3400-\u9fff]).){4,40}")
"""The next line of a topic: no label, as which words set apart count, too ("学 院 计算机学院"), and no date."""
_COVER = 30
"""Lines among which a topic is looked for."""
_COUNTED = re.compile(r"\d{1,2}[.．)）]\s|(?:\d{1,2}|[壹贰貳叁參肆伍陆陸柒捌玖拾]{1,3})\s*、|.*[:：]$")
"""The beginning of a list or of what a label introduces."""
_BARE_NUMBER = re.compile(r"(?:[2-9]|[1-9]\d)\s")
"""Not that of a first section: "10 ways to say no" is a title."""
_DATE = re.compile(
    r"(?:[\W\d_]|[年月日号號]|民國|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+|version|release|v)+",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(
    r".*(?:公司(?:及其?子公司)?|集[团團]|委[员員][会會]|大[学學]|[学學]院|研究[院所]|[医醫]院|人民政府|[协協學学][会會]|[银銀]行|事[务務]所)"
    r"|.*\b(?:inc|ltd|llc|plc|corp|corporation|incorporated|company|limited|commission|committee|department|ministry"
    r"|agency|university|institute|association|council|foundation|congress|gmbh)\b\.?"
    r"|(?:the )?(?:u\.?s\.? |(?:\w+ ){1,3})?(?:congress|department|ministry|university|institute|bureau|office|board"
    r"|house|committee|subcommittee|commission)(?: on| of)(?: the)?(?: \w+){1,4}"
    r"|(?:the )?united states(?: of america)?",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"(?:\w{2,12}(?:大[学學]|[学學]院))*+"
    r"(?:[本专專]科生?|[硕碩]士|博士|工程|[专專][业業]|研究生|[学學]位|[毕畢][业業]|[设設][计計]|[课課]程|[实實][验驗]|[综綜]合|[训訓][练練]"
    r"|[开開][题題]|中期|[结結][题題]|[论論]文|[报報]告|任[务務][书書]|[()（）·])+"
)
"""The kind of a student's paper, and whose, without spaces: what it is about stands elsewhere on its cover."""
_KIND = re.compile(
    r"[说說]明[书書]|手[册冊]|[报報]告|白皮[书書]|指南|[规規]格[书書]|方案"
    r"|\b(?:manual|guide|handbook|report|specification|datasheet|data sheet|white ?paper|tutorial)\b",
    re.IGNORECASE,
)
_MOST_KIND_WORDS = 8
"""Words of a line that says which kind of document it is."""
_CHAPTER = re.compile(
    r"第\s*(?P<han>[\d一二三四五六七八九十百]+)\s*[章讲講课課]|(?:chapter|lecture|lesson|unit)\s+(?P<latin>\d+(?:\.\d+)*|[ivxl]+)\b",
    re.IGNORECASE,
)


def topic_of(lines: Sequence[str]) -> str | None:
    """Return what a cover gives as its topic behind a label, as that of a thesis does."""
    cover = [line.strip() for line in lines[:_COVER]]
    for place, line in enumerate(cover):
        if found := _TOPIC.fullmatch(line):
            below = cover[place + 1] if place + 1 < len(cover) else ""
            belongs = _GOES_ON.fullmatch(below) and can_be_title(below) and not is_organisation(below)
            return found[1].strip() + (below if belongs else "")
    return None


def can_be_title(line: str) -> bool:
    """Whether a line can name its document: no section or part of any document, no label, no entry of a contents."""
    return not (
        is_section(line) or LEADERS.search(line) or _LABEL.fullmatch(line.strip()) or _DATE.fullmatch(line.strip())
    )


def goes_on(line: str) -> bool:
    """Whether a line ends so that the next one belongs to it, if both are of one title: "Step by Step:"."""
    return line.rstrip().endswith((":", "：", ",", "，")) and title_weight(line) > 0


def is_section(line: str) -> bool:
    """Whether a line is the heading of a numbered section, or of a part that any document may have."""
    numbered = number_of(line) is not None and not _BARE_NUMBER.match(line)
    return numbered or _COUNTED.match(line) is not None or is_part_heading(line)


def chapter_of(heading: str) -> str | None:
    """Return the number of a chapter, a lecture or the like, from its heading."""
    found = _CHAPTER.match(heading.strip())
    return found and (found["han"] or found["latin"])


def is_organisation(title: str) -> bool:
    """Whether a title is no more than the name of a company or an authority."""
    return PARTED not in title and _ORGANISATION.fullmatch(title.strip()) is not None


def says_little(title: str | None) -> bool:
    """Whether a title may be that of many documents: one or two words, its kind, or only whose it is."""
    said = title or ""
    return title_weight(said) <= WEAK or _PAPER.fullmatch("".join(said.split())) is not None or is_organisation(said)


def has_kind(title: str) -> bool:
    """Whether a title says which kind of document it is: a manual, a report."""
    return _KIND.search(title) is not None


def is_kind(line: str) -> bool:
    """Whether a line is the kind of the document and little more ("需求规格说明书", "Installation Guide")."""
    found = list(_KIND.finditer(line))
    ends = bool(found) and found[-1].end() == len(line.rstrip())
    return ends and title_weight(line) <= _MOST_KIND_WORDS and can_be_title(line)
