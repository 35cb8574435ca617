"""An example of a component for a query graph: it drops passages that say what a better one has said already.

It works as it stands. Save it in a folder of your own, allow its module, and put it between `interact` and `answer`:

    export KHUB_ALLOWED_MODULES=example_component PYTHONPATH=.

In the graph:

    distinct:
      type: example_component.NearDuplicateFilter
      init_parameters:
        threshold: 0.8

with the connections `interact.documents -> distinct.documents` and `distinct.documents -> answer.documents` in place of
`interact.documents -> answer.documents`.
"""

from haystack import Document, component

from khub.components.errors import GraphError, ParameterError
from khub.components.text.tokenizer import tokenize

SHORTEST = 12
"""Passages with fewer distinct terms are always kept: in a short text a few shared words prove nothing."""


@component
class NearDuplicateFilter:
    """Keeps the best of passages that are nearly the same.

    Two passages are compared by the Jaccard similarity of their sets of index terms: the number of shared terms
    divided by the number of all terms. An older and a newer edition of a handbook typically reach 0.85 to 0.97, two
    chapters of the same book stay below 0.4. The cost grows with the square of the number of passages, which is of no
    weight for the 20 that the ranker passes on (190 comparisons).
    """

    def __init__(self, threshold: float = 0.8) -> None:
        """Keep the parameter.

        :param threshold: similarity from which on a passage counts as a repetition, above 0 and at most 1.
        :raises GraphError: when the threshold is out of bounds.
        """
        if not 0 < threshold <= 1:
            raise ParameterError(f"NearDuplicateFilter has threshold={threshold}", "give a number above 0 and at most 1")
        self.threshold = threshold

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Drop repetitions.

        :param documents: passages, best first.
        :returns: `documents`: those that repeat no better one, in the same order.
        """
        kept: list[tuple[Document, set[str]]] = []
        for document in documents:
            terms = set(tokenize(document.content or ""))
            if not any(self._same(terms, better) for _, better in kept):
                kept.append((document, terms))
        return {"documents": [document for document, _ in kept]}

    def _same(self, terms: set[str], better: set[str]) -> bool:
        if min(len(terms), len(better)) < SHORTEST:
            return False
        return len(terms & better) / len(terms | better) >= self.threshold
