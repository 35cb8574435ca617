from typing import Any

import pytest
from haystack import Document, Pipeline

from khub.components.answer import Preference
from khub.components.answers.evidence import Evidence
from khub.components.errors import GraphError
from khub.components.question import Question


def passage(id_: str, content: str | None = None, score: float = 0.5, **meta: Any) -> Document:
    fields = {"doc_id": id_[0], "source": f"/{id_}.md", "ranks": {"rerank": 1}} | meta
    return Document(id=id_, content=content or f"text of {id_}", score=score, meta=fields)


def run(documents: list[Document], **inputs: Any) -> list[Document]:
    names = ("duplicates", "max_per_document", "preference_weight", "context_characters")
    names += ("page_penalty", "coverage")
    parameters = {name: inputs.pop(name) for name in names if name in inputs}
    return Evidence(**parameters).run(question=Question("q", **inputs), documents=documents)["documents"]


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


@pytest.mark.unit
def test_where_nothing_applies_the_passages_go_on_as_they_came() -> None:
    documents = [passage("b1", score=0.1), passage("a1", score=0.9), passage("a2", score=0.9)]

    assert run(documents) is documents


@pytest.mark.unit
def test_each_parameter_and_input_does_its_work() -> None:
    long = "one two three four five six, seven eight nine ten eleven twelve. Thirteen fourteen fifteen sixteen"
    documents = [
        passage("a1", f"{long} Chroma", score=0.9), passage("a2", long, score=0.89), passage("a3", score=0.88),
        passage("b1", "Qdrant", score=0.87, doc_type="pdf"), passage("c1", score=0.1),
    ]  # fmt: skip

    assert ids(run(documents)) == ["a1", "a3", "b1", "c1"]
    assert ids(run(documents, duplicates=1.0)) == ["a1", "a2", "a3", "b1", "c1"]
    assert ids(run(documents, max_per_document=1)) == ["a1", "b1", "c1", "a3"]
    assert ids(run(documents, terms=["chroma", "qdrant"])) == ["a1", "b1", "a3", "c1"]
    assert ids(run(documents, terms=["chroma", "qdrant"], coverage=0.0)) == ["a1", "a3", "b1", "c1"]
    pdf = [Preference("doc_type", "pdf", "in the PDF")]
    assert ids(run(documents, preferences=pdf)) == ["b1", "a1", "a3", "c1"]
    assert ids(run(documents, preferences=pdf, preference_weight=0.03)) == ["a1", "b1", "a3", "c1"]


@pytest.mark.unit
def test_each_better_passage_of_its_page_costs_a_passage_some_of_its_score() -> None:
    pages = {"a1": (4, 1.0), "a2": (4, 0.9), "b1": (4, 0.85), "a3": (4, 0.8), "a4": (5, 0.65), "c1": (None, 0.0)}
    documents = [passage(id_, page=page, score=score) for id_, (page, score) in pages.items()]

    assert ids(run(documents, page_penalty=0.1)) == ["a1", "b1", "a2", "a4", "a3", "c1"]
    assert ids(run(documents, page_penalty=0.2)) == ["a1", "b1", "a2", "a4", "a3", "c1"]
    assert ids(run(documents, page_penalty=0.3)) == ["a1", "b1", "a4", "a2", "a3", "c1"]
    assert ids(run(documents, page_penalty=0.01)) == ids(documents)


@pytest.mark.unit
def test_a_changed_order_is_told_by_the_ranks() -> None:
    moved = run([passage("a1"), passage("a2"), passage("b1")], max_per_document=1)

    assert [document.meta["ranks"] for document in moved] == [{"rerank": 1, "evidence": n} for n in (1, 2, 3)]
    assert all("evidence" not in d.meta["ranks"] for d in run([passage("a1"), passage("b1")], max_per_document=1))


@pytest.mark.unit
def test_unranked_ties_do_not_depend_on_which_leg_was_first() -> None:
    ties = [Document(id=id_, content=id_, score=0.5, meta={"doc_id": "d"}) for id_ in "bca"]

    assert ids(run(ties, max_per_document=1)) == ids(run(ties[::-1], max_per_document=1)) == ["a", "b", "c"]


@pytest.mark.unit
@pytest.mark.parametrize(
    "parameters",
    [{"duplicates": 0.6}, {"duplicates": 1.1}, {"max_per_document": 0}, {"preference_weight": -0.1},
     {"preference_weight": 1.1}, {"context_characters": -1}, {"page_penalty": -0.1}, {"page_penalty": 1.1}],
)  # fmt: skip
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any]) -> None:
    ((name, value),) = parameters.items()
    with pytest.raises(GraphError, match=f"Evidence has {name}={value}: give"):
        Evidence(**parameters)


@pytest.mark.unit
def test_a_graph_holds_it() -> None:
    graph = Pipeline()
    graph.add_component("evidence", Evidence(max_per_document=3, context_characters=600))
    again = Pipeline.loads(graph.dumps(), allowed_modules=["khub.components.*"]).get_component("evidence")

    assert (again.max_per_document, again.context_characters) == (3, 600)


@pytest.mark.integration
def test_text_around_a_passage_comes_from_the_catalog(library) -> None:
    texts = ["Trains come first.", "The budget is 300.", "It is paid in March.", "Nobody waits."]
    chunks = library.add("/docs/plan.md", texts)
    with library.catalog.database.transaction() as connection:
        for chunk, start in zip(chunks, (0, 20, 40, 62), strict=True):
            end = start + len(chunk.content)
            connection.execute('UPDATE chunks SET start = ?, "end" = ? WHERE chunk_id = ?', (start, end, chunk.id))
    hit = library.catalog.chunks.fetch("books", [chunks[1].id])[chunks[1].id][0]
    documents = [hit, passage("zz", ordinal=3)]

    found = run(documents, context_characters=66, collection="books")
    assert found[0].meta["context"] == {
        "before": "Trains come first.",
        "after": "It is paid in March.\n\nNobody waits.",
        "section": "",
    }
    assert "context" not in found[1].meta
    short = run(documents, context_characters=30, collection="books")
    assert short[0].meta["context"] == {"before": "", "after": "It is paid in March.…", "section": ""}
    assert "context" not in run(documents, collection="books")[0].meta


@pytest.mark.integration
def test_text_that_this_process_may_not_show_is_not_around_a_passage(library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.add("/docs/open.md", ["Open text."], access_level="public")
    chunks = library.add("/docs/plan.md", ["Trains come first.", "The budget is 300."], access_level="public")
    with library.catalog.database.transaction() as connection:
        connection.execute(
            "UPDATE chunks SET meta = ? WHERE chunk_id = ?", ('{"access_level": "secret"}', chunks[0].id)
        )
        connection.execute(
            "UPDATE chunks SET meta = ? WHERE chunk_id = ?", ('{"access_level": "public"}', chunks[1].id)
        )
        connection.execute("UPDATE documents SET meta = '{}'")
        connection.execute('UPDATE chunks SET start = 20, "end" = 38 WHERE chunk_id = ?', (chunks[1].id,))
    hit = library.catalog.chunks.fetch("books", [chunks[1].id])[chunks[1].id][0]

    assert run([hit], context_characters=300, collection="books")[0].meta["context"]["before"] == "Trains come first."
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert run([hit], context_characters=300, collection="books")[0].meta["context"]["before"] == ""
