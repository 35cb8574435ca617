"""Passages that several documents have are stored once, and each document is found and cited as before."""

import contextlib
import os
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import ClosedError
from khub.components.ingest import collection_writer
from khub.components.retrievers import dense_retriever, passages, sparse_retriever
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.index_paths import sparse_folder
from khub.components.stores.open_store import OpenStore
from khub.components.stores.sparse_index import SparseIndex
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.library.sync import apply_sync, plan_sync
from khub.server.questions.ask import ask
from tests.server.hub_files import edit

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

GRAPH = "more/ingest_dedup"
QUESTION = "How many days of paid leave does an employee have?"
LEAVE = (
    "Every employee has 28 days of paid leave per calendar year. Leave is asked for two weeks before, if not earlier; "
    "the manager replies within three working days. Unused days may be carried over until 31 March of the next year, "
    "after which they are lost without any compensation. Whoever falls ill while on leave and shows a certificate gets "
    "these days back. Half days can be taken in the morning or in the afternoon, and no reason has to be given. "
    "In the year of joining and in the year of departure the claim is reckoned by full months of service. "
    "Leave between Christmas and New Year is settled within each team by the end of October at the latest."
)
NEAR = LEAVE.upper().replace(" IN THE MORNING", "")
"""The same in capitals, and some words less."""


def own(word: str) -> str:
    return " ".join(f"The {word} {part} is checked by the {word} crew on every {day}." for part, day in (
        ("pump", "Monday"), ("valve", "Tuesday"), ("gauge", "Wednesday"), ("hose", "Thursday"), ("filter", "Friday"),
        ("engine", "Saturday"), ("cabinet", "Sunday"), ("ladder", "holiday"), ("tank", "payday"), ("roof", "weekend"),
        ("cellar", "morning"), ("fence", "evening"), ("gate", "afternoon"),
    ))  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Three handbooks: one with a passage on leave, one with the same, one with nearly the same."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, leave in (("alpha.md", LEAVE), ("beta.html", LEAVE), ("gamma.md", NEAR)):
        write(folder / name, leave)
    return folder


def write(file: Path, leave: str = "", front: str = "") -> None:
    word = file.stem
    if file.suffix == ".html":
        below = f"<h2>Leave</h2><p>{leave}</p>" if leave else ""
        text = f"<html><body><h1>{word} handbook</h1><p>{own(word)}</p>{below}</body></html>"
    else:
        below = f"## Leave\n\n{leave}\n" if leave else ""
        text = f"{front}# {word} handbook\n\n{own(word)}\n\n{below}"
    file.write_text(text, encoding="utf-8")


def bring_in(*paths, **more):
    result = ingest([str(path) for path in paths], graph_name=more.pop("graph_name", GRAPH), **more)
    assert result.failed == []
    return result


def names(sources):
    return sorted(Path(source).name for source in sources)


def held():
    """Return the files whose passage on leave the dense and the keyword index hold, once each, by leg."""
    catalog = open_catalog()
    state, template = catalog.index_states.state("default"), bound_parts(catalog.collections.binding("default"))[1]
    with contextlib.closing(OpenStore(template, state.physical("dense"), catalog.home)) as opened:
        ids = [set(opened.store.ids()), SparseIndex(sparse_folder(catalog.home, state.physical("sparse"))).ids()]
    chunks = [catalog.duplicates.read(sorted(of_leg)) for of_leg in ids]
    assert [len(of_leg) for of_leg in ids] == [len(of_leg) for of_leg in chunks], "an index holds what is gone"
    return [
        names(c.meta["source"] for c in of_leg.values() if "paid leave" in c.content.casefold()) for of_leg in chunks
    ]


def cited(legs=None, filters=None, query=QUESTION):
    """Return the citations of the passage on leave: its file, and the files in `also_in`."""
    citations = ask(query, filters=filters, legs=legs, top_k=10).citations
    return [
        (Path(c.source).name, names(place.source for place in c.also_in))
        for c in citations
        if "paid leave" in c.text.casefold()
    ]


def agreed():
    """Whether doctor finds nothing."""
    return diagnose(full=True)[0].findings.problems == []


@pytest.mark.parametrize("calls", [1, 3])
def test_one_passage_in_both_indexes_and_all_its_places_in_the_catalog(folder, calls):
    files = sorted(folder.iterdir())
    for batch in [files] if calls == 1 else [[file] for file in files]:
        bring_in(*batch)
    assert held() == [["alpha.md"], ["alpha.md"]]
    documents = open_catalog().documents.of_collection("default")
    assert [(Path(d["source"]).name, d["chunks"]) for d in documents] == [
        ("alpha.md", 2), ("beta.html", 2), ("gamma.md", 2),
    ]  # fmt: skip
    assert [len(open_catalog().documents.chunks(d["doc_id"])) for d in documents] == [2, 2, 2]
    for legs in (["dense"], ["sparse"], None):
        assert cited(legs) == [("alpha.md", ["beta.html", "gamma.md"])]
    (citation,) = [c for c in ask(QUESTION).citations if c.also_in]
    assert citation.text.endswith(LEAVE)
    assert {place.title for place in citation.also_in} == {"beta handbook", "gamma handbook"}
    assert open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0] == 4
    assert agreed()


def of_beta(doc_id):
    return {
        "source": {"field": "meta.source", "operator": "glob", "value": "*/beta.html"},
        "type": {"field": "meta.doc_type", "operator": "==", "value": "html"},
        "tag": {"field": "meta.team", "operator": "==", "value": "rail"},
        "date": {"field": "meta.modified_at", "operator": "<", "value": "2020"},
        "document": {"field": "meta.doc_id", "operator": "==", "value": doc_id},
    }


@pytest.mark.parametrize("kind", ["source", "type", "tag", "date", "document"])
@pytest.mark.parametrize("few", [True, False])
def test_a_filter_that_keeps_another_place_finds_the_passage_there(folder, kind, few, monkeypatch):
    os.utime(folder / "beta.html", (1e9, 1e9))
    bring_in(folder / "alpha.md", folder / "gamma.md", meta={"team": "road"})
    bring_in(folder / "beta.html", meta={"team": "rail"})
    if not few:
        monkeypatch.setattr(dense_retriever, "EXACT_LIMIT", 0)
        monkeypatch.setattr(sparse_retriever, "ID_FILTER_LIMIT", 0)
    (doc_id,) = [d["doc_id"] for d in open_catalog().documents.of_collection("default") if "beta" in d["source"]]
    only = of_beta(doc_id)[kind]
    for legs in (["dense"], ["sparse"]):
        assert cited(legs, only) == [("beta.html", [])]
        assert cited(legs, {"operator": "NOT", "conditions": [only]}) == [("alpha.md", ["gamma.md"])]
    (citation,) = [c for c in ask(QUESTION, filters=only).citations if "paid leave" in c.text]
    assert (citation.doc_id, citation.title) == (doc_id, "beta handbook")


def test_levels_of_access_are_never_merged(folder, monkeypatch):
    bring_in(folder / "alpha.md", meta={"access_level": "public"})
    bring_in(folder / "beta.html", meta={"access_level": "secret"})
    write(folder / "gamma.md", LEAVE, front="---\naccess_level: [public]\n---\n")
    bring_in(folder / "gamma.md")
    write(folder / "delta.md", LEAVE)
    bring_in(folder / "delta.md")
    assert held() == [["alpha.md", "beta.html", "delta.md"]] * 2, "a list of one level is that level"
    for level, found in (("public", [("alpha.md", ["gamma.md"])]), ("secret", [("beta.html", [])])):
        monkeypatch.setenv("KHUB_ACCESS", level)
        assert [cited(legs) for legs in (["dense"], ["sparse"], None)] == [found] * 3
    monkeypatch.delenv("KHUB_ACCESS")
    assert agreed()


def test_what_a_caller_may_not_see_is_not_named_even_where_it_was_merged(folder, monkeypatch):
    bring_in(folder, meta={"access_level": "public"})
    with open_catalog().database.transaction() as connection:
        for file, level in (("alpha", "secret"), ("gamma", "secret")):
            connection.execute(
                "UPDATE documents SET meta = json_set(meta, '$.access_level', ?) WHERE source LIKE ?",
                (level, f"%{file}%"),
            )
        connection.execute("UPDATE collections SET commits = commits + 1")
    monkeypatch.setenv("KHUB_ACCESS", "public")
    for legs in (["dense"], ["sparse"], None):
        assert cited(legs) == [("beta.html", [])]


def test_a_document_that_gets_another_level_leaves_the_others_what_they_had(folder, monkeypatch):
    bring_in(folder, meta={"access_level": "public"})
    write(folder / "alpha.md", f"{LEAVE}\n\nSigned.")
    write(folder / "alpha.md", LEAVE, front="---\naccess_level: secret\n---\n")
    bring_in(folder / "alpha.md")
    assert held() == [["alpha.md", "beta.html"]] * 2
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert cited() == [("beta.html", ["gamma.md"])]
    monkeypatch.setenv("KHUB_ACCESS", "secret")
    assert cited() == [("alpha.md", [])]


def test_the_next_one_takes_the_place_of_a_document_that_is_deleted(folder, monkeypatch):
    bring_in(folder)
    before = ask(QUESTION, legs=["dense"]).citations[0].score
    monkeypatch.setenv("KHUB_ACCESS", "nobody")
    with pytest.raises(ClosedError):
        delete_document("alpha.md")
    monkeypatch.delenv("KHUB_ACCESS")
    delete_document("alpha.md")
    assert held() == [["beta.html"]] * 2
    assert [cited(legs) for legs in (["dense"], ["sparse"])] == [[("beta.html", ["gamma.md"])]] * 2
    assert ask(QUESTION, legs=["dense"]).citations[0].score == pytest.approx(before, abs=0.05)
    assert agreed()
    delete_document("gamma.md")
    assert (held(), cited(), agreed()) == ([["beta.html"]] * 2, [("beta.html", [])], True)
    write(folder / "alpha.md", LEAVE)
    bring_in(folder / "alpha.md")
    assert (held(), cited()) == ([["beta.html"]] * 2, [("beta.html", ["alpha.md"])]), "it is found as the first one was"
    delete_document("beta.html")
    delete_document("alpha.md")
    assert cited() == []
    tables = ("chunks", "vectors", "duplicates", "keyed_chunks", "chunk_keys", "removals")
    assert [open_catalog().database.row(f"SELECT COUNT(*) FROM {table}")[0] for table in tables] == [0] * 6
    assert agreed()


def test_deleting_another_place_only_removes_it(folder):
    bring_in(folder)
    delete_document("beta.html")
    assert (held(), cited(), agreed()) == ([["alpha.md"]] * 2, [("alpha.md", ["gamma.md"])], True)


def test_a_document_that_loses_the_passage_leaves_it_to_the_others(folder):
    bring_in(folder)
    write(folder / "alpha.md")
    bring_in(folder)
    assert held() == [["beta.html"]] * 2
    assert [cited(legs) for legs in (["dense"], ["sparse"])] == [[("beta.html", ["gamma.md"])]] * 2
    assert agreed()
    write(folder / "beta.html")
    write(folder / "gamma.md")
    bring_in(folder)
    assert (held(), cited(), agreed()) == ([[], []], [], True)


def test_all_change_at_once(folder):
    bring_in(folder)
    for file in folder.iterdir():
        write(file, "" if file.stem == "alpha" else f"{LEAVE}\n\nAnd it is so, says {file.stem}.")
    write(folder / "delta.md", LEAVE)
    bring_in(folder)
    found = {file for file, others in cited() for file in (file, *others)}
    assert found == {"beta.html", "delta.md", "gamma.md"}
    assert agreed()


def test_unchanged_files_are_passed_over_and_other_graphs_read_them_again(folder):
    bring_in(folder)
    again = bring_in(folder)
    assert (again.written, len(again.unchanged)) == ([], 3)
    assert len(bring_in(folder, graph_name="ingest").written) == 3
    assert (held(), agreed()) == ([["alpha.md", "beta.html", "gamma.md"]] * 2, True)
    assert len(bring_in(folder).written) == 3
    assert (held(), agreed()) == ([["alpha.md"]] * 2, True)


def test_one_file_that_other_stages_read_stands_for_itself(folder):
    bring_in(folder)
    bring_in(folder / "alpha.md", graph_name="ingest")
    assert (held(), cited(), agreed()) == ([["alpha.md"]] * 2, [("alpha.md", ["beta.html", "gamma.md"])], True)
    bring_in(folder / "beta.html", graph_name="ingest")
    assert (held(), agreed()) == ([["alpha.md", "beta.html"]] * 2, True)


def test_sync_renames_and_removes(folder):
    def sync():
        return apply_sync(plan_sync(str(folder), graph_name=GRAPH))

    sync()
    (folder / "alpha.md").rename(folder / "omega.md")
    result = sync()
    assert (len(result.written), len(result.removed)) == (1, 1)
    assert held() == [["beta.html"]] * 2
    assert (cited(), agreed()) == ([("beta.html", ["gamma.md", "omega.md"])], True)
    (folder / "beta.html").unlink()
    sync()
    assert (held(), cited(), agreed()) == ([["gamma.md"]] * 2, [("gamma.md", ["omega.md"])], True)


def test_reindex_embeds_what_is_stored_and_the_heirs_too(folder, pipelines):
    bring_in(folder)
    delete_document("alpha.md")
    edit(pipelines / "ingest.yaml", "model: khub-base", "model: khub-fast")
    assert reindex("default", graph_name=GRAPH)["chunks"] == 3
    assert (held(), cited(["sparse"]), agreed()) == ([["beta.html"]] * 2, [("beta.html", ["gamma.md"])], True)
    (citation,) = ask(QUESTION, legs=["dense"], top_k=1).citations
    assert Path(citation.source).name == "beta.html"
    assert open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0] == 3, "one each, none of the model before"
    delete_document("beta.html")
    assert (held(), agreed()) == ([["gamma.md"]] * 2, True)


def test_lost_indexes_are_built_without_the_duplicates(folder):
    bring_in(folder)
    catalog = open_catalog()
    for leg in ("dense", "sparse"):
        catalog.index_states.mark_damaged("default", leg)
    assert diagnose(repair=True)[0].healthy
    assert (held(), cited()) == ([["alpha.md"]] * 2, [("alpha.md", ["beta.html", "gamma.md"])])


def test_doctor_finds_a_duplicate_whose_chunk_is_gone_and_reindex_makes_it_one_of_its_own(folder):
    bring_in(folder)
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE duplicates SET stored = 'gone'")
    (problem,) = diagnose()[0].findings.problems
    assert (problem.startswith("2 duplicates "), "khub reindex" in problem) == (True, True)
    reindex("default", graph_name=GRAPH)
    assert (held(), agreed()) == ([["alpha.md", "beta.html", "gamma.md"]] * 2, True)


def test_a_stored_chunk_that_goes_between_look_up_and_write_is_no_loss(folder, monkeypatch):
    bring_in(folder / "alpha.md")
    original = collection_writer.still_stored

    def meanwhile(catalog, new):
        monkeypatch.setattr(collection_writer, "still_stored", original)
        with catalog.database.transaction() as connection:  # as another process would have, before the lock was taken
            connection.execute("UPDATE documents SET meta = json_set(meta, '$.access_level', 'secret')")
        return original(catalog, new)

    monkeypatch.setattr(collection_writer, "still_stored", meanwhile)
    (failure,) = ingest([str(folder / "beta.html")], graph_name=GRAPH).failed
    assert ("meanwhile" in failure["error"], failure["remedy"]) == (True, "ingest it again")
    bring_in(folder / "beta.html")
    assert (held(), agreed()) == ([["alpha.md", "beta.html"]] * 2, True)


def test_the_stage_is_added_to_a_collection_that_is_there(folder):
    bring_in(folder, graph_name="ingest")
    assert held() == [["alpha.md", "beta.html", "gamma.md"]] * 2
    assert len(reindex(graph_name=GRAPH)["enriched"]) == 3
    assert (held(), agreed()) == ([["alpha.md"]] * 2, True)
    assert cited() == [("alpha.md", ["beta.html", "gamma.md"])]
    assert reindex(graph_name=GRAPH)["enriched"] == []
    delete_collection("default")
    assert open_catalog().database.row("SELECT COUNT(*) FROM duplicates")[0] == 0


def test_a_passage_that_a_document_repeats_is_stored_once_and_goes_with_it(folder):
    write(folder / "alpha.md", f"{LEAVE}\n\n## Leave\n\n{LEAVE}")
    bring_in(folder)
    assert held() == [["alpha.md"]] * 2
    assert cited() == [("alpha.md", ["beta.html", "gamma.md"])], "its own page is no other place"
    write(folder / "alpha.md", LEAVE)
    bring_in(folder)
    assert (held(), agreed()) == ([["alpha.md"]] * 2, True)
    write(folder / "alpha.md", f"{LEAVE}\n\n## Leave\n\n{LEAVE}")
    bring_in(folder)
    delete_document("alpha.md")
    assert (held(), cited(), agreed()) == ([["beta.html"]] * 2, [("beta.html", ["gamma.md"])], True)


def test_no_more_places_are_named_than_anybody_reads(folder, monkeypatch):
    monkeypatch.setattr(passages, "MOST_PLACES", 1)
    bring_in(folder)
    assert cited() == [("alpha.md", ["beta.html"])]


def test_without_known_only_the_documents_of_one_batch_are_compared(folder, pipelines):
    known = ", known: {type: khub.components.enrichers.stored_chunks.StoredChunks}"
    edit(pipelines / "more" / "ingest_dedup.yaml", known, "")
    bring_in(folder / "alpha.md", folder / "beta.html")
    bring_in(folder / "gamma.md")
    assert held() == [["alpha.md", "gamma.md"]] * 2
