"""Codes and versions that a question names and no passage holds."""

import re
from collections.abc import Sequence

from components.stores.sparse_index import Expansion, SparseIndex

_CODE = re.compile(r"(?=.*\d)(?=.*[a-z._/-])[\x21-\x7e]{2,}")


def unknown_codes(index: SparseIndex, terms: Sequence[str], expansions: Sequence[Expansion] = ()) -> list[str]:
    """Return the codes among the terms that do not occur: what is found without them is about something else.

    :param index: the collection's.
    :param terms: tokens of the question; one with a digit, and a letter or a mark such as `-` or `.`, is a code
        (`e-4013`, `5.0`).
    :param expansions: other words for some of the terms; one whose other word occurs counts as if it occurred.
    :returns: in the order of the question, each once; not those that are a part of another.
    """
    codes = [term for term in dict.fromkeys(terms) if _CODE.fullmatch(term)]
    unknown = [code for code in codes if not index.coverage([code], expansions)]
    return [code for code in unknown if not any(code != other and code in other for other in unknown)]
