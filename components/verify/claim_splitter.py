"""The claims that a text makes, one sentence each."""

import re
from itertools import zip_longest
from typing import Any

from haystack import component

from khub.components.errors import ParameterError, QueryError
from khub.components.query.query_analyzer import clean_query
from khub.components.text.sentence_ends import split_sentences
from khub.components.text.tokenizer import tokenize
from khub.components.verify.bounds import TEXT_CHARACTERS

_CODE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_CITATION = re.compile(r"(?<!\s)\s*(?:\[\^?\d{1,3}(?:\s*[,，–-]\s*\d{1,3})*\]|【\d{1,3}(?:[†:][^】]{0,20})?】)(?!\()")
_IMAGE = re.compile(r"\[IMAGE:[^\]]{0,500}\]|!\[[^\]]{0,500}\]\([^)]{0,500}\)")
_LINK = re.compile(r"\[([^\]\n]{1,500})\]\([^)\s]{0,500}\)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_LINE_MARK = re.compile(r"^\s*(?:>\s?)*(?:[-*+•·●▪]\s+|\(?\d{1,2}[.)、）]\s*(?=\D)|[①-⑳]\s*)?")
_TABLE_RULE = re.compile(r"[\s:|-]*")
_QUESTION = re.compile(r"[?？]\s*[\"'”’」』）)]*$")
_ENDS = ":：…"

# What assistants say around an answer; it is about the talk, and no document can support it.
_TALK = re.compile(
    r"^(?:(?:hi|hello|hey|dear|thanks|thank you|sure|certainly|of course|great|okay|ok|sorry|you(?:'| a)re welcome"
    r"|good (?:morning|afternoon|evening))\b[^.]{0,40}$"
    r"|(?:sure|certainly|of course|sorry)[,!.]|here(?:'s| is| are)\b.{0,60}:?$|based on (?:the|your)\b[^,]*:?$"
    r"|(?:i |we )(?:hope|am|'m|can|could|cannot|can't|will|found|did not|didn't|do not|don't)\b"
    r"|(?:please )?(?:let me know|feel free)\b|(?:the )?(?:documents?|passages?|sources?) (?:searched )?"
    r"(?:do|does|did|hold|contain)s? (?:not|n't|no)\b"
    r"|(?:你|您)好|(?:谢谢|感谢|抱歉|对不起|不客气|好的|当然)(?:[，,！!。]|$)|希望(?:以上|这|对[你您])"
    r"|(?:如果|如)(?:[你您])?(?:还)?有.{0,8}(?:问题|疑问)|以上(?:是|就是|内容)|根据.{0,20}(?:如下|[:：])$"
    r"|(?:我|我们)(?:没有|未能|无法|可以|将|会)|(?:在.{0,12}中)?没有找到)",
    re.IGNORECASE,
)
LEAST_TOKENS = 2


@component
class ClaimSplitter:
    """Takes a text apart into claims.

    :param max_claims: most claims of one text, 1 or more.
    :param max_characters: of the text and the claims in all, 1 or more.
    :raises GraphError: when a number is out of bounds.
    """

    def __init__(self, max_claims: int = 50, max_characters: int = TEXT_CHARACTERS) -> None:
        for name, value in {"max_claims": max_claims, "max_characters": max_characters}.items():
            if value < 1:
                raise ParameterError(f"ClaimSplitter has {name}={value}", "give 1 or more")
        self.max_claims = max_claims
        self.max_characters = max_characters

    @component.output_types(claims=list[str])
    def run(self, text: str | None = None, claims: list[str] | None = None) -> dict[str, Any]:
        """Return the claims to verify.

        :param text: an answer, in plain text or Markdown; taken apart.
        :param claims: claims that are taken as they are, before those of the text.
        :returns: `claims`: each once, in their order.
        :raises QueryError: when there is no claim, or more than `max_claims`, or of `max_characters`.
        """
        length = len(text or "") + sum(map(len, claims or []))
        if length > self.max_characters:
            remedy = f"give {self.max_characters:,} or fewer at a time"
            raise QueryError(f"what is to be checked has {length:,} characters", remedy)
        given = [clean_query(claim) for claim in claims or []]
        found = [claim for claim in [*given, *split_claims(text or "")] if tokenize(claim)]
        unique = list(dict.fromkeys(found))
        if not unique:
            raise QueryError("the text makes no claim", "give sentences that say something, not questions or greetings")
        if len(unique) > self.max_claims:
            raise QueryError(f"the text makes {len(unique)} claims", f"give {self.max_claims} or fewer at a time")
        return {"claims": unique}


def split_claims(text: str) -> list[str]:
    """Return the sentences of a text that claim something.

    Left out are headings, code, images, questions, greetings, lines that only lead to the next one, and what the writer
    says of himself; marks of citations (`[1]`), lists, quotes and emphasis are taken off.

    :param text: plain text or Markdown, Chinese or English.
    :returns: the claims, in their order.
    """
    found: list[str] = []
    lines = _CODE.sub("\n", text).splitlines()
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        if _HEADING.match(line) or any(map(_is_table_rule, (line, after))):
            continue  # the line above a table's rule holds the names of its columns
        bare = _EMPHASIS.sub("", _LINK.sub(r"\1", _CITATION.sub("", _IMAGE.sub("", line))))
        bare = clean_query(_LINE_MARK.sub("", bare, count=1).replace("|", " "))
        found += [claim for claim in split_sentences(bare) if _claims(claim)]
    return found


def _is_table_rule(line: str) -> bool:
    return "|" in line[1:] and _TABLE_RULE.fullmatch(line) is not None


def _claims(sentence: str) -> bool:
    if _QUESTION.search(sentence) or sentence.endswith(tuple(_ENDS)) or _TALK.match(sentence):
        return False
    return len(tokenize(sentence)) >= LEAST_TOKENS
