"""A document's own title: from its front matter, its metadata or its first level-1 heading."""

import datetime
import re
from collections.abc import Sequence
from typing import Any

import yaml

from khub.components.text.hidden_characters import without_hidden
from khub.components.text.title_lines import PARTED, can_be_title, is_organisation, is_section, says_little, topic_of
from khub.components.text.title_words import title_weight
from khub.components.text.tokenizer import tokenize

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.{0,8000}?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX_H1 = re.compile(r" {0,3}#[ \t]++(.*+)$")
_CLOSING_HASHES = re.compile(r"(?:^|(?<![ \t])[ \t]++)#*+[ \t]*+$")
_SETEXT_H1 = re.compile(r" {0,3}=+[ \t]*$")
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\((?:(?!\]\()[^)])*+\)")
_PLACEHOLDER = re.compile(
    r"((?:untitled|no title).*|(document|presentation|slide|folie|bild|diapositiv[ae]|book|workbook|sheet|page)\s*\d*"
    r"|(\S+\s)?power\s?point(\S*|\s\S+)|title|none|null|template|layout\s*\d*|microsoft (word|powerpoint|excel)( -.*)?"
    r"|(write|type|insert|enter|add|click|your|edit|put|replace)\b.{0,30}\btitle\b.{0,30}|title goes here"
    r"|(幻灯片|演示文稿|文档|工作簿|投影片|スライド|プレゼンテーション)\s*\d*|新建.{0,30}|无标题.*|未命名.*|模[板版]|[主副]?标题(文字|内容)?"
    r"|.{0,6}(输入|添加|编辑|填写|键入).{0,4}标题.{0,6}"
    r"|.*\.(docx?|dotx?|dotm|pptx?|potx?|xlsx?|pdf|indd|qxd|tex|dvi|ps|rtf|fm|tmp|p65|cdr|ai|exe|html?)"
    r"|[^\s_]+_\S+|<[0-9a-f]+>|[\W\d_]*|[a-z]{1,2})",
    re.IGNORECASE,
)
JOINERS = {0x200C: None, 0x200D: None}  # parts of Persian and Indic words, and of emoji
_ASCIIDOC = re.compile(r"^=[ \t]++(\S.*+)$", re.MULTILINE)
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_REVISION = re.compile(r"[(（][^()（）\d]*\d[^()（）]*[)）]")
"""In brackets, too: of when a form is."""
_SAID = 0.5
"""Share of its words that the document says, if a title in the properties is believed; it says all years of it, too.

What stands in brackets is left out."""
_SIGNS = re.compile(r"[¢¤¦¬¶]")
"""Several of them are letters of another code page."""
_YEAR_DIGITS = 3
"""Of the shortest years: 112 of the Republic of China."""
_MAX_TITLE = 300
_MAX_ITEMS = 100
_SCALARS = (str, int, float, datetime.date)


def read_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Take a YAML front matter block off a Markdown text.

    :param text: the Markdown, lines ended by line feeds.
    :returns: the block's fields: scalars (dates as ISO 8601) and lists of scalars (as lists of strings), nothing
        nested; and the text after the block. The whole text when what stands between the two lines of dashes is no
        YAML mapping.
    """
    block = _FRONT_MATTER.match(text)
    if not block:
        return {}, text
    try:
        fields = yaml.safe_load(block[1] or "")
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}, text
    if not isinstance(fields, dict):
        return {}, text
    simple = {str(key): _simple(value) for key, value in fields.items()}
    return {key: value for key, value in simple.items() if value not in (None, "", [])}, text[block.end() :].lstrip(
        "\n"
    )


def first_heading(text: str) -> str | None:
    """Return the text of the first level-1 heading outside fenced code; None where it is that of a section.

    :param text: Markdown; both `# Title` and a line underlined with `=` count.
    :returns: the heading without emphasis and link targets.
    """
    fence = previous = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            atx = _ATX_H1.match(line)
            heading = _CLOSING_HASHES.sub("", atx[1]) if atx else previous if _SETEXT_H1.match(line) else ""
            title = _plain(heading)
            if title:
                return None if is_section(title) else title
        previous = "" if fence else line
    return None


def asciidoc_title(text: str) -> str | None:
    """Return the title of an AsciiDoc text: a line with one `=` before it."""
    title = _ASCIIDOC.search(text)
    return _plain(title[1]) if title else None


def sensible_title(title: Any) -> str | None:
    """Return a metadata title as one line; None for a placeholder, a file name or anything that is no short text."""
    if not isinstance(title, str | int | float) or isinstance(title, bool):
        return None
    line = " ".join(without_hidden(str(title)).split())
    garbled = "\ufffd" in line or len(_SIGNS.findall(line)) > 1 or not line.translate(JOINERS).isprintable()
    return None if garbled or len(line) > _MAX_TITLE or _PLACEHOLDER.fullmatch(line) else line


def best_title(named: str | None, printed: str | None, text: str) -> str | None:
    """Choose between the title in a file's properties and the one that its first pages show.

    What programs, templates and scanners write as its title is often about something else: it counts as far as the
    document says it itself, and where it may be that of many documents ("User Manual") only if no more is shown.

    :param named: from the file's properties.
    :param printed: as it is shown.
    :param text: what the document says at its beginning; "" where that cannot be read.
    """
    named = sensible_title(named)
    if not named or not can_be_title(named) or not _is_said(named, text):
        return printed
    bare = _REVISION.sub("", named).strip()
    if says_little(bare) and printed:
        return printed if title_weight(printed) > title_weight(bare) else named
    return None if is_organisation(named) else named


def office_title(named: str | None, shown: str | None, text: str) -> str | None:
    """Choose as `best_title` does, but for what is shown: Office files often keep the title of their template."""
    return shown if shown and not says_little(shown) else best_title(named, shown, text)


def with_topic(title: str | None, lines: Sequence[str]) -> str | None:
    """Add the topic that a cover names to its title, which says what kind of document it is ("毕业论文")."""
    topic = topic_of(lines)
    if not title or not topic or topic in title:
        return title or topic
    return PARTED.join([*(part for part in title.split(PARTED) if part not in topic), topic])


def _is_said(title: str, text: str) -> bool:
    words, said = set(tokenize(_ASIDE.sub("", title)) or tokenize(title)), set(tokenize(text))
    years = {word for word in words if word.isdecimal() and len(word) >= _YEAR_DIGITS}
    return not said or (len(words & said) > _SAID * len(words) and years <= said)


def _simple(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        return [str(_simple(one)) for one in value[:_MAX_ITEMS] if isinstance(one, _SCALARS)]
    return value if isinstance(value, str | int | float | bool) else None


def _plain(heading: str) -> str:
    text = _LINK.sub(r"\1", heading)
    text = re.sub(r"\*\*|__|[*`]|<[^>]{1,40}>", "", text)
    return " ".join(re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text).split())[:_MAX_TITLE]
