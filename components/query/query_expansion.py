"""Other words for a question, by a language model."""

from dataclasses import replace
from typing import Any

from haystack import component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.errors import GraphError, ParameterError, RetrievalError
from khub.components.model_servers.served_run import failures_of_servers
from khub.components.query.glosses import glosses_with
from khub.components.question import Expansion, Question
from khub.components.text.stopwords import without_stopwords
from khub.components.text.tokenizer import tokenize


@component
class QueryExpansion:
    """Adds a query expander's other wordings to the question, at a lower weight.

    Their words go into the one keyword query, each by itself. The wordings are also glosses, which the dense leg and
    the late interaction read beside the question.
    """

    def __init__(self, expander: Component, weight: float = 0.3, max_terms: int = 24) -> None:
        """Keep the expander.

        :param expander: a component that makes `queries` of `query`, in YAML as `{type, init_parameters}`: Haystack's
            `QueryExpander`.
        :param weight: of each added word, above 0 and up to 1, the weight of a word of the question.
        :param max_terms: so many words are added at most, 1 or more; those that more wordings have come first.
        :raises GraphError: when a number is out of bounds, or `expander` is no such component.
        """
        if not 0 < weight <= 1:
            raise ParameterError(f"QueryExpansion has weight={weight}", "give a number above 0, 1 at most")
        if max_terms < 1:
            raise ParameterError(f"QueryExpansion has max_terms={max_terms}", "give 1 or more")
        if not isinstance(expander, Component) or "queries" not in expander.__haystack_output__._sockets_dict:  # type: ignore[attr-defined]
            raise GraphError(
                f"QueryExpansion holds no expander but {type(expander).__name__}",
                "name a component that makes 'queries' of 'query'",
            )
        self.expander = expander
        self.weight = weight
        self.max_terms = max_terms

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the expander with it."""
        expander = component_to_dict(self.expander, "expander")
        return default_to_dict(self, expander=expander, weight=self.weight, max_terms=self.max_terms)

    def warm_up(self) -> None:
        """Warm the expander up.

        :raises Exception: whatever it raises.
        """
        if hasattr(self.expander, "warm_up"):
            self.expander.warm_up()

    def close(self) -> None:
        """Release what the expander holds."""
        if hasattr(self.expander, "close"):
            self.expander.close()

    @component.output_types(question=Question)
    def run(self, question: Question) -> dict[str, Question]:
        """Find other words.

        :returns: `question` with further `expansions`, which stand for no single word of it; and with the wordings in
            its `glosses`.
        :raises RetrievalError: when the expander gives no wording.
        :raises Exception: whatever the expander raises.
        """
        with failures_of_servers() as failures:  # Haystack's expander keeps them to itself
            queries = self.expander.run(query=question.text)["queries"]  # type: ignore[attr-defined]
        wordings = [text for text in queries if text != question.text]
        if failures and not wordings:
            raise failures[-1]
        if not wordings:
            raise RetrievalError("the language model gave no other wording of the question", "look into the log")
        counts: dict[str, int] = {}
        for wording in wordings:
            for term in dict.fromkeys(without_stopwords(wording)):
                counts[term] = counts.get(term, 0) + 1
        asked = {*tokenize(question.text), *(term for known in question.expansions for term in known.terms)}
        new = sorted((term for term in counts if term not in asked), key=lambda term: -counts[term])
        added = [Expansion([term], False, self.weight, "") for term in new[: self.max_terms]]
        glosses = glosses_with(question.glosses, wordings)
        return {"question": replace(question, expansions=[*question.expansions, *added], glosses=glosses)}
