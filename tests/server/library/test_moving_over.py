"""A collection of another embedder is answered from as far as it can be, and moves over without a gap."""

import re
import shutil
import subprocess
import sys

import pytest

import khub.server.library.collections
from khub.components.answer import Degraded
from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.errors import RetrievalError
from khub.server.library.collections import Reindexed, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.hub_files import PIPELINES, name_parts

pytestmark = pytest.mark.integration

ROOT = PIPELINES.parent
QUESTION = "How do herons wade?"
OTHER_VERSION = (
    "collection 'default' was embedded by another version or setting of khub-base: embed it again: "
    "khub reindex --collection default"
)
WAITING_REINDEX = """
import sys
import khub.server.library.collections
khub.server.library.collections.REEMBED_SIZE = 1

def wait(now):
    print(now.done, flush=True)
    sys.stdin.read()

khub.server.library.collections.reindex("default", "ingest", wait)
"""


def told(answer):
    """Return what an answer says, how its legs went, and what it lacks."""
    legs = {leg.name: (leg.used, leg.hits) for leg in answer.legs}
    return [(c.text, c.score) for c in answer.citations], legs, answer.degraded


@pytest.fixture
def embedded(monkeypatch):
    """All texts that a document embedder is given."""
    texts, run = [], DocumentEmbedder.run

    def counted(self, documents):
        texts.extend(document.content for document in documents)
        return run(self, documents)

    monkeypatch.setattr(DocumentEmbedder, "run", counted)
    return texts


@pytest.fixture
def filled_earlier(notes):
    """The collection as it is after an update has put another model in the place of the one that filled it."""
    ingest([str(notes)])
    embedder = open_catalog().collections.binding("default")["embedder"]
    with open_catalog().database.transaction() as connection:
        for now in (embedder["fingerprint"], embedder["identity"]["fingerprint"]):
            connection.execute("UPDATE collections SET binding = replace(binding, ?, ?)", (now, now[::-1]))
            connection.execute("UPDATE vectors SET fingerprint = ? WHERE fingerprint = ?", (now[::-1], now))


@pytest.fixture
def filled_by_a_model_that_left(notes):
    """The collection as it is after an update that no longer ships the model that filled it."""
    ingest([str(notes)])
    with open_catalog().database.transaction() as connection:
        connection.execute("""UPDATE collections SET binding = replace(binding, '"khub-base"', '"khub-small"')""")


@pytest.fixture
def filled_by_fast(notes):
    """Embedded by khub-fast; the files are gone."""
    ingest([str(notes)], graph_name="ingest_fast")
    shutil.rmtree(notes)


def names_its_embedder(pipelines, model="khub-base"):
    name_parts(pipelines / "query.yaml", pipelines / "ingest.yaml", embedder=model)


@pytest.mark.parametrize("named", [True, False], ids=["graph's embedder", "collection's own"])
def test_keyword_leg_answers_from_a_collection_of_an_earlier_model(filled_earlier, pipelines, named):
    if named:
        names_its_embedder(pipelines)
    answer = ask(QUESTION)
    assert "Herons wade slowly" in answer.citations[0].text
    assert answer.degraded == [Degraded("dense", OTHER_VERSION)]
    assert {leg.name: leg.used for leg in answer.legs} == {"dense": False, "sparse": True}
    assert "khub reindex --collection default" in answer.answer
    with pytest.raises(RetrievalError) as error:
        ask(QUESTION, legs=["dense"])
    assert OTHER_VERSION in str(error.value)
    assert "\n" not in str(error.value)


def test_a_collection_of_a_model_that_left_names_the_way_out(filled_by_a_model_that_left):
    reason = "there is no embedding model 'khub-small'.*khub reindex --collection"
    answer = ask(QUESTION)
    assert "Herons wade slowly" in answer.citations[0].text
    assert [entry.stage for entry in answer.degraded] == ["dense"]
    (problem,) = diagnose()[0].findings.problems
    assert re.search(reason, answer.degraded[0].reason)
    assert re.search(reason, problem)
    reindex("default")
    assert diagnose()[0].healthy
    assert told(ask(QUESTION))[1:] == ({"dense": (True, 3), "sparse": (True, 1)}, [])


def test_graph_of_another_model_names_both_ways_out(filled_by_fast, pipelines):
    names_its_embedder(pipelines)
    assert ask(QUESTION).degraded == [
        Degraded(
            "dense",
            "collection 'default' was embedded by khub-fast, this graph's question by khub-base: ask through "
            "a graph of khub-fast (--graph query), or embed it again: khub reindex --collection default",
        )
    ]
    reindex("default")
    assert ask(QUESTION).degraded == []
    names_its_embedder(pipelines, "khub-fast")
    (entry,) = ask(QUESTION).degraded
    assert entry.reason.endswith("or embed it again: khub reindex --collection default --graph ingest_fast")


def test_doctor_names_the_command_that_moves_it_over(filled_earlier, notes):
    assert diagnose()[0].findings.problems == [OTHER_VERSION]
    with raises_code("binding_embedder", "khub reindex --collection default --graph ingest"):
        ingest([str(notes)])
    reindex("default")
    assert diagnose()[0].healthy
    assert told(ask(QUESTION))[1:] == ({"dense": (True, 3), "sparse": (True, 1)}, [])
    assert open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0] == 3


def test_old_index_answers_until_the_new_one_is_whole_and_after_a_kill(filled_by_fast, embedded):
    before = told(ask(QUESTION))
    assert before[1]["dense"] == (True, 3)
    with subprocess.Popen(
        [sys.executable, "-c", WAITING_REINDEX], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as mover:
        try:
            assert mover.stdout.readline() == "1\n"
            assert told(ask(QUESTION)) == before
        finally:
            mover.kill()
    assert told(ask(QUESTION)) == before
    reindex("default")
    assert len(embedded) == 2
    assert told(ask(QUESTION))[1:] == (before[1], [])
    assert diagnose()[0].healthy


def test_reindex_that_was_stopped_embeds_only_what_is_missing(filled_by_fast, embedded, monkeypatch):
    before = told(ask(QUESTION))
    monkeypatch.setattr(khub.server.library.collections, "REEMBED_SIZE", 1)

    def stop(now):
        if now.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reindex("default", on_progress=stop)
    assert told(ask(QUESTION)) == before
    first, seen = set(embedded), []
    reindex("default", on_progress=seen.append)
    assert (len(first), len(embedded), len(set(embedded))) == (2, 3, 3)
    assert [(now.kept, now.written) for now in seen] == [(1, 0), (2, 0), (2, 0), (2, 3)]
    assert seen[-1] == Reindexed(done=3, total=3, kept=2, pages=0, written=3)
    assert told(ask(QUESTION))[1:] == (before[1], [])


def test_pages_are_counted_where_documents_have_pages(tmp_path):
    ingest([str(ROOT / "eval" / "samples" / "ember-300-operator-manual-en.pdf")])
    (document,) = open_catalog().documents.of_collection("default")
    seen = []
    reindex("default", "ingest_fast", seen.append)
    assert seen[-1].pages == document["pages"] > 1
