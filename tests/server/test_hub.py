"""The Python library does what the command does, in the folder that it was given."""

import asyncio
import inspect

import pytest

from khub import Hub
from khub.components.answer import Answer
from khub.components.errors import CollectionError, KhubError

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

FAST = "ingest_fast"


@pytest.fixture
def folder(tmp_path):
    here = tmp_path / "birds"
    (here / "waders").mkdir(parents=True)
    (here / "waders" / "herons.md").write_text("# Herons\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (here / "storks.md").write_text("# Storks\n\nStorks clatter with their bills.\n", encoding="utf-8")
    return here


@pytest.fixture
def hub(tmp_path, folder):
    made = Hub(tmp_path / "first")
    made.ingest(folder, graph=FAST)
    return made


def test_an_answer_is_typed_and_cited(hub, folder):
    answer = hub.ask("How do herons wade?", top_k=1)
    assert isinstance(answer, Answer)
    assert [citation.source for citation in answer.citations] == [str(folder / "waders" / "herons.md")]
    assert "shallow water" in answer.citations[0].evidence
    assert [one.chunk_id for one in hub.search("How do herons wade?", top_k=1)] == [answer.citations[0].chunk_id]


def test_two_hubs_side_by_side_know_nothing_of_each_other(hub, tmp_path, folder):
    other = Hub(tmp_path / "second")
    assert other.collections() == []
    other.ingest(folder / "storks.md", collection="storks", graph=FAST)
    assert (hub.collections(), other.collections()) == (["default"], ["storks"])
    assert {one.title for one in hub.documents()} == {"Herons", "Storks"}
    assert [one.title for one in other.documents()] == ["Storks"]
    assert not (tmp_path / "hub").exists()  # $KHUB_HOME


def test_a_folder_is_followed_and_what_is_doubtful_stays(hub, folder):
    (folder / "storks.md").write_text("# Storks\n\nStorks fly south.\n", encoding="utf-8")
    (folder / "cranes.md").write_text("# Cranes\n\nCranes dance.\n", encoding="utf-8")
    result = hub.sync(folder, graph=FAST)
    assert (len(result.written), len(result.unchanged), result.removed) == (2, 1, [])
    (folder / "cranes.md").unlink()
    assert hub.sync(folder, graph=FAST).removed == [str(folder / "cranes.md")]
    (folder / "waders" / "herons.md").unlink()
    assert hub.sync(folder, graph=FAST).removed == []  # all of a subfolder
    assert hub.sync(folder, graph=FAST, drastic=True).removed == [str(folder / "waders" / "herons.md")]


def test_documents_and_collections_go(hub, folder):
    first = hub.documents()[0]
    assert hub.delete(first.doc_id) == [first.source]
    with pytest.raises(KhubError) as error:
        hub.delete(first.doc_id)
    assert error.value.code == "document_unknown"
    assert hub.delete(folder / "waders" / "herons.md") == [str(folder / "waders" / "herons.md")]
    assert hub.delete_collection("default") == 0
    with pytest.raises(CollectionError):
        hub.documents("default")


def test_claims_are_verified(hub):
    (claim,) = hub.verify("Storks clatter with their bills.").claims
    assert claim.verdict == "agrees"


def test_a_stream_ends_with_the_answer_and_raises_what_fails(hub):
    *_, answer = hub.stream("How do herons wade?")
    assert isinstance(answer, Answer)
    assert answer.citations
    with pytest.raises(CollectionError):
        list(hub.stream("How do herons wade?", collection="fish"))


def test_everything_can_be_awaited(hub, folder, tmp_path):
    async def use():
        other = Hub(tmp_path / "second")
        await other.ingest_async(folder, graph=FAST)
        await other.sync_async(folder, graph=FAST)
        answers = await asyncio.gather(other.ask_async("How do herons wade?"), hub.ask_async("How do storks clatter?"))
        streamed = [piece async for piece in other.stream_async("How do herons wade?")]
        found = await other.search_async("How do herons wade?")
        verified = await other.verify_async("Storks clatter with their bills.")
        names = [one.title for one in await other.documents_async()]
        gone = await other.delete_async("storks.md")
        return [one.citations[0].title for one in (*answers, streamed[-1])], found, verified, names, gone

    titles, found, verified, names, gone = asyncio.run(use())
    assert titles == ["Herons", "Storks", "Herons"]
    assert found[0].title == "Herons"
    assert verified.claims[0].verdict == "agrees"
    assert sorted(names) == ["Herons", "Storks"]
    assert gone == [str(folder / "storks.md")]


@pytest.mark.unit
def test_every_method_has_a_twin_that_takes_the_same():
    methods = {name: method for name, method in vars(Hub).items() if not name.startswith("_") and callable(method)}
    plain = [name for name in methods if not name.endswith("_async")]
    assert {f"{name}_async" for name in plain} == methods.keys() - set(plain)
    for name in plain:
        taken, twin = (inspect.signature(methods[n]).parameters.values() for n in (name, f"{name}_async"))
        assert [(p.name, p.kind, p.default) for p in taken] == [(p.name, p.kind, p.default) for p in twin], name
