"""Scores of passages of which better ones show the page already."""

from collections import defaultdict
from collections.abc import Sequence

from haystack import Document


def behind_their_page(documents: Sequence[Document], scores: Sequence[float], penalty: float) -> list[float]:
    """Lower each passage by `penalty` for every better one of the same page.

    Whoever sees a page's best passage has the page: another one from it tells less than one from elsewhere. Of maximal
    marginal relevance (J. Carbonell and J. Goldstein, *The Use of MMR*, SIGIR 1998), with the page as what is the same.

    :param documents: passages; those without a page are left as they are.
    :param scores: of each.
    :param penalty: what each better passage of the page costs.
    """
    better: dict[tuple[str, int], int] = defaultdict(int)
    lowered = list(scores)
    for place in sorted(range(len(documents)), key=lambda place: (-scores[place], place)):
        meta = documents[place].meta
        if meta.get("page") is not None:
            page = (str(meta.get("doc_id")), meta["page"])
            lowered[place] -= penalty * better[page]
            better[page] += 1
    return lowered
