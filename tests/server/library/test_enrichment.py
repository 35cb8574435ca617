"""Language models are added to a collection that is there already: nothing is read again, nothing is lost."""

import io
import json
import shutil

import pytest
import yaml
from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.util import Inches

from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.enrichers.cache import open_cache
from khub.components.errors import GraphError
from khub.components.model_servers import served_run
from khub.server.jobs.deletions import delete_document
from khub.server.library import enrichment as module
from khub.server.library.collections import reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from tests.eval.examples.chat_server import Raw, serving
from tests.server.hub_files import changes, copy_pipelines, edit

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

GRAPH = "more/ingest_llm"
BIRDS = ("egret", "heron", "tern")
SEEN = "A bar chart of the pressure in bar of three pumps named Iris, Lotus and Tulip, with the highest value at Lotus."
SAID = {"title": "T", "summary": "It is about this.", "tags": ["pump", "湿地"], "language": "en", "dates": []}


def prompt_of(request):
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


def stage_of(prompt):
    if "Describe the picture" in prompt:
        return "caption"
    return "metadata" if "JSON" in prompt else "refine"


def answered(request, added=" Also."):
    prompt = prompt_of(request)
    passage = prompt.split("===== ")[-2].split("\n", 1)[1].strip()
    return {"caption": SEEN, "metadata": json.dumps(SAID), "refine": passage + added}[stage_of(prompt)]


def chart():
    picture = Image.new("RGB", (400, 300), "white")
    for place, height in enumerate((120, 250, 90)):
        ImageDraw.Draw(picture).rectangle((60 + place * 110, 290 - height, 130 + place * 110, 290), fill="navy")
    data = io.BytesIO()
    picture.save(data, "PNG")
    data.seek(0)
    return data


@pytest.fixture(scope="module")
def birds(tmp_path_factory):
    """A collection filled by the rules alone, its files, and the graphs with a small embedder."""
    root = tmp_path_factory.mktemp("birds")
    (root / "files").mkdir()
    for bird in BIRDS:
        title = "" if bird == "tern" else f"# The {bird}\n\n"  # so that one has to be found
        text = f"{title}The {bird} wades in shallow water by day.\n\n## Food\n\nThe {bird} eats small fish.\n"
        (root / "files" / f"{bird}.md").write_text(text, encoding="utf-8")
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Pressure of the pumps"
    slide.shapes.add_picture(chart(), Inches(1), Inches(2), width=Inches(6))
    deck.save(root / "files" / "pumps.pptx")
    graphs = copy_pipelines(root)
    file = graphs / "ingest.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    data["components"]["embed"]["init_parameters"]["embedder"]["init_parameters"] = {"model": "khub-fast"}
    data["components"]["split"]["init_parameters"] = {"chunk_size": 80, "overlap": 0}
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(root / "hub"))
        patch.setenv("KHUB_PIPELINES", str(graphs))
        assert len(ingest([str(root / "files")], "birds", meta={"team": "甲"}).written) == 4
    return root


@pytest.fixture
def server():
    with serving() as script:
        script.turns = [answered]
        yield script


@pytest.fixture
def hub(birds, tmp_path, monkeypatch, server):
    """A copy of that hub; its graphs ask this server. Return the folder of the graphs."""
    shutil.copytree(birds / "hub", tmp_path / "hub")
    shutil.copytree(birds / "pipelines", tmp_path / "pipelines")
    file = tmp_path / "pipelines" / f"{GRAPH}.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    for name in ("refine", "caption", "describe"):
        parameters = changes(data)["components"][name]["init_parameters"]
        parameters |= {"backoff_s": 0.01, "timeout_s": 5}
        parameters["generator"]["init_parameters"]["api_base_url"] = server.url
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    monkeypatch.setenv("KHUB_LLM_API_KEY", "a-key")
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "pipelines"))
    return tmp_path / "pipelines"


def rows():
    return {row["source"].rpartition("/")[2]: row for row in open_catalog().documents.of_collection("birds")}


def kept(collection="birds"):
    """Content and metadata of all chunks by place, without what names the collection or the run."""
    chunks = open_catalog().chunks.visible(collection)
    found = {}
    for chunk in sorted(chunks, key=lambda c: (c.meta["source"], c.meta["ordinal"])):
        text = json.dumps([chunk.content, chunk.meta], ensure_ascii=False).replace(chunk.meta["doc_id"], "DOC")
        content, meta = json.loads(text)
        meta.pop("parent")
        found[meta["source"].rpartition("/")[2], meta["ordinal"]] = (content, meta)
    return found


def names(sources):
    return sorted(source.rpartition("/")[2] for source in sources)


def written(result):
    return names(entry["source"] for entry in result["enriched"])


def prompts(server):
    return [prompt_of(request) for request in server.requests]


def test_stages_are_added_as_if_the_files_had_come_in_by_them(hub, birds, server):
    before = {chunk.id for chunk in open_catalog().chunks.visible("birds")}
    (birds / "files").rename(birds / "away")
    try:
        result = reindex("birds", GRAPH)
    finally:
        (birds / "away").rename(birds / "files")
    assert written(result) == ["egret.md", "heron.md", "pumps.pptx", "tern.md"]
    assert (result["stages"], result["failed"], result["degraded"]) == (["refine", "caption", "describe"], [], [])
    assert {chunk.id for chunk in open_catalog().chunks.visible("birds")} == before
    content, meta = kept()["heron.md", 1]
    assert content == "## Food\n\nThe heron eats small fish. Also."
    assert meta["original"] == "## Food\n\nThe heron eats small fish."
    assert (meta["team"], meta["summary"]) == ("甲", SAID["summary"])
    assert (rows()["heron.md"]["title"], rows()["tern.md"]["title"]) == ("The heron", SAID["title"])
    deck = rows()["pumps.pptx"]
    assert (deck["title"], deck["meta"]["tags"]) == ("Pressure of the pumps", SAID["tags"])
    (picture,) = open_catalog().images.of_document(deck["doc_id"])
    assert picture["description"] == SEEN
    assert SEEN in kept()["pumps.pptx", 0][0]
    assert [report.findings.problems for report in diagnose()] == [[]]

    server.requests.clear()
    again = ingest([str(birds / "files")], "birds", GRAPH, {"team": "甲"})
    assert (len(again.unchanged), again.written) == (4, [])
    ingest([str(birds / "files")], "from files", GRAPH, {"team": "甲"})
    # word for word the same was asked, but where the name of a picture, which names the collection, stands
    assert all("Pressure of the pumps" in prompt for prompt in prompts(server))
    assert kept() == kept("from files")


def test_what_a_model_did_not_answer_is_asked_again_and_nothing_else(hub, server, monkeypatch):
    monkeypatch.setattr(served_run, "BACKOFF_S", 0.02)
    server.turns = [lambda request: Raw(500, "{}") if "tern eats" in prompt_of(request) else answered(request)]
    first = reindex("birds", GRAPH)
    assert written(first) == ["egret.md", "heron.md", "pumps.pptx", "tern.md"]
    told = {(entry["source"].rpartition("/")[2], entry["stage"]) for entry in first["degraded"]}
    assert told == {("tern.md", "refine"), ("tern.md", "metadata")}
    assert rows()["tern.md"]["meta"]["degraded_stages"] == ["metadata", "refine"]

    server.requests.clear()
    server.turns = [answered]
    second = reindex("birds", GRAPH)
    assert (written(second), second["degraded"]) == (["tern.md"], [])
    assert sorted(map(stage_of, prompts(server))) == ["metadata", "refine", "refine"]  # its neighbour is in the prompt
    assert not any("degraded" in meta or "degraded_stages" in meta for _, meta in kept().values())
    server.requests.clear()
    assert reindex("birds", GRAPH)["enriched"] == server.requests == []


def test_an_interrupted_run_goes_on_where_it_was(hub, server, monkeypatch):
    monkeypatch.setattr(module, "BATCH_CHUNKS", 1)

    seen = []

    def interrupt(now):
        seen.append((now.done, now.total))
        if len(seen) == 4:  # the first two are of the indexes
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reindex("birds", GRAPH, interrupt)
    assert seen == [(7, 7), (7, 7), (2, 7), (4, 7)]
    assert written(reindex("birds", GRAPH, lambda now: seen.append((now.done, now.total)))) == ["pumps.pptx", "tern.md"]
    assert seen[4:] == [(7, 7), (7, 7), (1, 3), (3, 3)]


def test_a_document_that_is_deleted_meanwhile_stays_deleted(hub, server):
    def say(request):
        if "heron eats" in prompt_of(request) and "heron.md" in rows():
            delete_document("heron.md", "birds")
        return answered(request)

    server.turns = [say]
    result = reindex("birds", GRAPH)
    assert (written(result), names(result["overtaken"])) == (["egret.md", "pumps.pptx", "tern.md"], ["heron.md"])
    assert names(rows()) == ["egret.md", "pumps.pptx", "tern.md"]
    replies = open_cache()._with_file(lambda file: file.execute("SELECT reply FROM replies").fetchall())
    assert "heron" not in str(replies)
    assert "tern" in str(replies)


def test_a_file_that_comes_in_anew_meanwhile_is_not_taken_back(hub, birds, server, tmp_path):
    catalog, heron = open_catalog(), rows()["heron.md"]["doc_id"]

    def say(request):
        with catalog.database.transaction() as connection:
            connection.execute("UPDATE chunks SET version = 7, content = 'newer' WHERE doc_id = ?", (heron,))
            connection.execute("UPDATE documents SET version = 7 WHERE doc_id = ?", (heron,))
        return answered(request)

    server.turns = [say]
    result = reindex("birds", GRAPH)
    assert names(result["overtaken"]) == ["heron.md"]
    assert kept()["heron.md", 0][0] == "newer"


def test_text_that_stays_keeps_its_vector(hub, server, monkeypatch):
    server.turns = [lambda request: answered(request, added="")]
    embed, embedded = DocumentEmbedder.run, []
    monkeypatch.setattr(
        DocumentEmbedder, "run", lambda own, documents: embedded.extend(documents) or embed(own, documents)
    )
    assert "heron.md" in written(reindex("birds", GRAPH))
    assert rows()["heron.md"]["meta"]["summary"] == SAID["summary"]
    assert not any("heron" in document.content for document in embedded)


def test_what_rules_found_stays_where_the_graph_finds_nothing(hub, server):
    file = hub / f"{GRAPH}.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    changed = changes(data)
    changed["components"]["describe"] = None
    links = [link for link in changed["connections"] if "describe" not in str(link)]
    changed["connections"] = [*links, {"sender": "caption.documents", "receiver": "embed.documents"}]
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    before = rows()["heron.md"]["meta"]["tags"]
    reindex("birds", GRAPH)
    assert (rows()["heron.md"]["meta"]["tags"], before[0]) == (before, "heron")
    assert kept()["heron.md", 1][0].endswith("Also.")


def test_pictures_stay_where_the_graph_does_not_look_at_them(hub):
    edit(hub / "ingest.yaml", "tags: 8", "tags: 1")
    edit(hub / "ingest.yaml", "- receiver: write.pictures\n  sender: ocr.pictures\n", "")
    assert "pumps.pptx" in written(reindex("birds", "ingest"))
    deck = rows()["pumps.pptx"]
    (picture,) = open_catalog().images.of_document(deck["doc_id"])
    (chunk,) = (c for c in open_catalog().chunks.visible("birds") if c.meta["doc_id"] == deck["doc_id"])
    assert ([picture["image_id"]], len(deck["meta"]["tags"])) == (chunk.meta["image_refs"], 1)


def test_a_picture_whose_file_is_gone_fails_its_document_alone(hub):
    (picture,) = open_catalog().images.of_document(rows()["pumps.pptx"]["doc_id"])
    (hub.parent / "hub" / "images" / picture["sha256"][:2] / f"{picture['sha256']}.png").unlink()
    result = reindex("birds", GRAPH)
    assert written(result) == ["egret.md", "heron.md", "tern.md"]
    (failure,) = result["failed"]
    assert (failure["stage"], failure["remedy"]) == ("enrich", "ingest it again")
    assert rows()["pumps.pptx"]["error"] == failure["error"]  # so that the next ingest reads it


def test_an_earlier_failure_to_read_the_file_is_not_forgotten(hub):
    catalog, source = open_catalog(), rows()["heron.md"]["source"]
    catalog.documents.record_failure("birds", source, "locked", "unlock it")
    reindex("birds", GRAPH)
    assert (rows()["heron.md"]["error"], rows()["heron.md"]["remedy"]) == ("locked", "unlock it")


def test_an_error_of_all_documents_ends_the_run(hub):
    edit(hub / f"{GRAPH}.yaml", "backoff_s:", "prompt_file: none.md\n              backoff_s:")
    with pytest.raises(GraphError, match=r"none\.md"):
        reindex("birds", GRAPH)


def test_without_a_graph_or_without_stages_the_text_stays(hub, server):
    before = kept()
    assert "stages" not in reindex("birds")
    assert reindex("birds", "ingest_fast")["stages"] == []
    assert (kept(), server.requests) == (before, [])
