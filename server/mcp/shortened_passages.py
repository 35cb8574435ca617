"""The passages that an answer lists, shortened to what carries them."""

import re
from collections.abc import Sequence

from khub.components.answer import Citation
from khub.server.mcp.budget import fits, text_tokens
from khub.server.mcp.untrusted import quoted

WHOLE, WHOLE_TOKENS, EXCERPT_TOKENS = 2, 300, 110
"""So many passages are shown as far as that goes, and of the others an excerpt."""

_LISTED = re.compile(r"^(?P<head>\*\*\[(?P<id>\d+)\] .*)\n\n(?P<quote>(?:>.*(?:\n|\Z))+)", re.MULTILINE)


def lists_passages(text: str) -> bool:
    """Say whether an answer is a list of its passages, as a graph without a language model writes it."""
    return _LISTED.search(text) is not None


def with_short_passages(text: str, citations: Sequence[Citation], mark: str) -> str:
    """Return an answer with the passages that it lists as long as a concise answer has room for.

    :param mark: stands behind the heading of a passage that is shortened.
    """
    known = {str(citation.id): citation for citation in citations}

    def short(found: re.Match[str]) -> str:
        citation, quote = known.get(found["id"]), found["quote"]
        if citation is None:
            return found[0]
        room = WHOLE_TOKENS if citation.id <= WHOLE else EXCERPT_TOKENS
        if fits(quote, room):
            return found[0]
        end = "\n" if quote.endswith("\n") else ""
        return f"{found['head']} {mark}\n\n{_excerpt(citation, room)}{end}"

    return _LISTED.sub(short, text)


def _excerpt(citation: Citation, room: int) -> str:
    """Return the sentences around a passage's evidence, which stands in bold, as a quote."""
    from khub.components.answers.bold import with_bold
    from khub.components.answers.excerpt import excerpt
    from khub.components.answers.highlight import IMAGE

    text, evidence = (IMAGE.sub("", one) for one in (citation.text, citation.evidence))
    characters = len(text) * room // text_tokens(text)
    return quoted(with_bold(excerpt(text, characters, evidence), evidence))
