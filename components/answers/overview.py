"""Questions that ask what stands in a place, and for nothing in it."""

import re

from haystack import Document

_ENGLISH = re.compile(
    r"\W*(?:(?:please|can|you|tell|give|show|list|me|us|what|s|do|does|did|is|are|was|were|it|we|all|everything"
    r"|information|there|here|stands?|written|said|says?|reads?|contains?|covers?|describes?|mentioned|discussed|main"
    r"|topics?|points?|in|on|or|and|for|about|inside|of|the|an?|contents?|summary|summari[sz]e|overview)\b\W*)+",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:请问|请|告诉我|主要|大概|大致|都|里|中|上|面|讲|说|写|提|介绍|包含|包括|规定|有|是|了|着|到|些|什么|哪些"
    r"|内容|东西|的|关于|总结|概括|概述|摘要|一下|帮|我|啥|呢|吗|呀|吧|啊|\W)++"
)
_ASKS = re.compile(
    r"\b(?:what|tell|give|show|list|says?|reads?|stands?|written|contains?|covers?|describes?|summari[sz]e)\b"
    "|什么|哪些|啥|讲|写|说|介绍|总结|概括|告诉",
    re.IGNORECASE,
)
"""A noun alone, as in `path:reports/* overview`, is looked for."""


def asks_for_all(searched: str) -> bool:
    """Return whether a question that names a place to look asks only what is there ("What does page:3 say?").

    No passage holds a word of such a question, so that how well it meets one says nothing of whether it answers.

    :param searched: the question without the words that became a filter.
    """
    return bool(_ASKS.search(searched) and (_ENGLISH.fullmatch(searched) or _CHINESE.fullmatch(searched)))


def in_reading_order(ranking: list[Document], paged_first: bool) -> list[Document]:
    """Return passages as they follow each other in their document, the documents in the order of their best ones.

    :param ranking: passages, best first.
    :param paged_first: whether those without a page come last, as where pages were filtered by, which leaves them.
    :returns: all of them.
    """
    first: dict[str, int] = {}
    for document in ranking:
        first.setdefault(str(document.meta.get("doc_id")), len(first))

    def place(document: Document) -> tuple[bool, int, int]:
        meta = document.meta
        return paged_first and meta.get("page") is None, first[str(meta.get("doc_id"))], int(meta.get("start") or 0)

    return sorted(ranking, key=place)
