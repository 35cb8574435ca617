"""Tokens that the catalog keeps stand in for those of the passage's text, and change nothing."""

from typing import Any

import pytest
from haystack import Document

from khub.components.catalog.passage_tokens import passage_tokens
from khub.components.catalog.token_rows import packed
from khub.components.embedders.model_folder import load_model
from khub.components.question import Question
from khub.components.rankers.late_interaction_ranker import LateInteractionRanker

pytestmark = pytest.mark.integration

QUESTION = "How do I recharge the robot's battery?"
TEXTS = ["Plug the machine into the charger.", "The annual report lists revenue.", "机器人的电池怎样充电。"]


class Spy:
    """A model that notes of which texts it was asked for the tokens."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.texts: list[str] = []

    def distinct_rows(self, texts: list[str]) -> Any:
        self.texts += texts
        return self._model.distinct_rows(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def ranked(documents: list[Document]) -> tuple[list[Document], list[str]]:
    """Rank with a new ranker, and say which texts it had to tokenize beside the question."""
    ranker = LateInteractionRanker()
    ranker.warm_up()
    assert ranker._interaction is not None
    spy = Spy(ranker._interaction._model)
    ranker._interaction._model = spy  # type: ignore[assignment]
    return ranker.run(question=Question(QUESTION, QUESTION), documents=documents)["documents"], spy.texts[1:]


def shown(library: Any) -> list[Document]:
    return list(library.catalog.chunks.visible("books"))


def forget(library: Any) -> None:
    with library.catalog.database.transaction() as connection:
        connection.execute("UPDATE chunks SET tokens = NULL")


def test_kept_tokens_give_the_ranking_that_the_text_gives(library: Any) -> None:
    library.add("/a.md", TEXTS, title="Robots", section="Battery")
    kept, tokenized = ranked(shown(library))
    assert tokenized == []

    forget(library)
    made, tokenized = ranked(shown(library))
    assert tokenized == [part for text in TEXTS for part in ("Robots\nBattery", text)]
    assert made == kept


def test_only_what_is_not_kept_is_tokenized(library: Any) -> None:
    library.add("/a.md", TEXTS[:1])
    forget(library)
    library.add("/b.md", TEXTS[1:])

    documents = [*shown(library), Document(id="elsewhere", content="Zebras graze.", meta={"title": "Africa"})]
    assert ranked(documents)[1] == ["a", TEXTS[0], "Africa", "Zebras graze."]


def test_tokens_of_another_text_do_not_count(library: Any) -> None:
    library.add("/a.md", TEXTS[:1], title="Robots")
    (document,) = shown(library)
    document.meta["title"] = "Machines"

    assert ranked([document])[1] == ["Machines", TEXTS[0]]


def test_tokens_of_another_model_do_not_count(library: Any) -> None:
    library.add("/a.md", TEXTS[:1], title="Robots")
    model: Any = load_model("khub-fast")
    (tokens,) = passage_tokens(model, [["", *TEXTS[:1]]])
    with library.catalog.database.transaction() as connection:
        connection.execute("UPDATE chunks SET tokens = ?", (packed(tokens, "00112233aabbccff"),))

    assert ranked(shown(library))[1] == ["Robots", TEXTS[0]]


def test_the_tokens_that_are_kept_are_those_that_count(library: Any) -> None:
    library.add("/a.md", TEXTS, title="Robots")
    model: Any = load_model("khub-fast")
    planted = packed(passage_tokens(model, [["", QUESTION]])[0], model.fingerprint)
    worst = ranked(shown(library))[0][-1]
    with library.catalog.database.transaction() as connection:
        connection.execute("UPDATE chunks SET tokens = ? WHERE chunk_id = ?", (planted, worst.id))

    assert ranked(shown(library))[0][0].id == worst.id
