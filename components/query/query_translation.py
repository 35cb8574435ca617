"""Let the keyword leg find passages in the other language."""

from dataclasses import replace

from haystack import component

from khub.components.errors import ParameterError
from khub.components.query.translations import Translations, read_translations
from khub.components.question import Expansion, Question


@component
class QueryTranslation:
    """Adds what the question's words are called in the other language, each with the weight of its translation.

    The table was learned from parallel text (see the model's card), and holds English stems and Chinese bigrams, as the
    keyword index does. A word that the index does not hold costs next to nothing, and the words of the question count
    in full.
    """

    def __init__(self, model: str = "khub-fast", weight: float = 1.5, max_translations: int = 4) -> None:
        """Keep what to take.

        :param model: name of a shipped model, or path of a model folder, that has a table of translations.
        :param weight: what a sure translation counts beside the word of the question, above 0 and up to 2. Above 1
            since few are sure: a word has two or three translations, which share the probability.
        :param max_translations: so many of each word are looked for, 1 or more.
        :raises GraphError: when a number is out of bounds.
        """
        if not 0 < weight <= 2:
            raise ParameterError(f"QueryTranslation has weight={weight}", "give a number above 0, 2 at most")
        if max_translations < 1:
            raise ParameterError(f"QueryTranslation has max_translations={max_translations}", "give 1 or more")
        self.model = model
        self.weight = weight
        self.max_translations = max_translations
        self._table: Translations | None = None

    def warm_up(self) -> None:
        """Read the table.

        :raises KhubError: when there is no such model, or its table is missing or damaged.
        """
        if self._table is None:
            self._table = read_translations(self.model)

    @component.output_types(question=Question)
    def run(self, question: Question) -> dict[str, Question]:
        """Look the question's terms up.

        :returns: `question` with an expansion of each translation; none that the question holds already, each one once.
        :raises KhubError: as `warm_up` does.
        """
        self.warm_up()
        taken = {*question.terms, *(term for known in question.expansions for term in known.terms)}
        added: dict[str, Expansion] = {}
        for term in dict.fromkeys(question.terms):
            for other, weight in (self._table or {}).get(term, ())[: self.max_translations]:
                known_weight = added[other].weight if other in added else 0.0
                if other not in taken and weight > known_weight / self.weight:
                    added[other] = Expansion([other], False, self.weight * weight, term, translated=True)
        return {"question": replace(question, expansions=[*question.expansions, *added.values()])}
