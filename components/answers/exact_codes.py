"""The passage under the very heading that a question names, before those of versions and sections like it."""

from haystack import Document

from khub.components.text.codes import codes_in
from khub.components.text.heading_codes import heading_codes

LOOKED_AT = 10
"""So many first passages are looked at: one further behind hardly has to do with the question."""


def with_its_section_first(documents: list[Document], question: str) -> list[Document]:
    """Let the first passage under a heading with a code of the question lead, where the leading one lacks the code.

    An index finds 2.3.10 for 2.3, too, and by meaning the two are alike.

    :param documents: passages, best first.
    :param question: its text.
    :returns: the same passages; the list itself where nothing is to do.
    """
    codes = codes_in(question)
    if not codes or not documents or not codes.isdisjoint(codes_in(_whole(documents[0]))):
        return documents
    headed = (place for place, one in enumerate(documents[:LOOKED_AT]) if not codes.isdisjoint(heading_codes(one)))
    place = next(headed, 0)
    return [documents[place], *documents[:place], *documents[place + 1 :]] if place else documents


def _whole(document: Document) -> str:
    return "\n".join(filter(None, (document.meta.get("title"), document.meta.get("section"), document.content)))
