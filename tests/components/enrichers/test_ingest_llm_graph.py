"""The shipped graph with language models, against a server that answers, fails in half of its calls, or never does."""

import io
import itertools
import json
import threading
from collections import Counter
from pathlib import PurePath

import pytest
import yaml
from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.util import Inches

from khub.components.catalog.catalog import open_catalog
from khub.components.enrichers.cache import open_cache
from khub.server.graphs.examination import examine_graph
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES, changes, copy_pipelines

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

MODELS = ("refine", "caption", "describe")
SEEN = "A bar chart of the pressure in bar of three pumps named Iris, Lotus and Tulip, with the highest value at Lotus."
SAID = {"title": "Pumps", "summary": "It is about pumps.", "tags": ["pump", "湿地"], "language": "en", "dates": []}


def stage_of(prompt):
    if "Describe the picture" in prompt or "图片" in prompt[:60]:
        return "caption"
    return "metadata" if "JSON" in prompt else "refine"


def answered(prompt):
    passage = prompt.split("===== ")[-2].split("\n", 1)[1].strip()
    return {"caption": SEEN, "metadata": json.dumps(SAID), "refine": f"{passage} Also."}[stage_of(prompt)]


@pytest.fixture
def graph(tmp_path, monkeypatch, server):
    """Give the name of the graph, asking this server; quick where that has nothing to do with models."""
    monkeypatch.setenv("KHUB_LLM_API_KEY", "a-key")
    folder = copy_pipelines(tmp_path)
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    file = folder / "more" / "ingest_llm.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    components = changes(data)["components"]
    components["embed"] = {"init_parameters": {"embedder": {"init_parameters": {"model": "khub-fast"}}}}
    for name in MODELS:
        parameters = components[name]["init_parameters"]
        parameters |= {"backoff_s": 0.01, "timeout_s": 5}
        parameters["generator"]["init_parameters"]["api_base_url"] = server.url
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    server.say = answered
    return "more/ingest_llm"


def chart():
    picture = Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(picture)
    for place, height in enumerate((120, 250, 90)):
        draw.rectangle((60 + place * 110, 290 - height, 130 + place * 110, 290), fill="navy")
    data = io.BytesIO()
    picture.save(data, "PNG")
    data.seek(0)
    return data


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for bird in ("heron", "tern", "egret", "stork", "crane", "ibis"):
        text = f"# The {bird}\n\nThe {bird} wades in shallow water.\n\n## Food\n\nThe {bird} eats small fish.\n"
        (folder / f"{bird}.md").write_text(text, encoding="utf-8")
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Pressure of the pumps"
    slide.shapes.add_picture(chart(), Inches(1), Inches(2), width=Inches(6))
    deck.save(folder / "pumps.pptx")
    return folder


def run(graph, files):
    return ingest([str(files)], "birds", graph)


def documents():
    return open_catalog().documents.of_collection("birds")


def kept():
    return [(chunk.content, chunk.meta) for chunk in open_catalog().chunks.visible("birds")]


def test_khub_finds_nothing_wrong_with_it():
    assert examine_graph(PIPELINES / "more" / "ingest_llm.yaml") == []


def test_models_put_chunks_pictures_and_documents_into_words(graph, files, server):
    result = run(graph, files)
    assert (len(result.written), result.failed, result.degraded) == (7, [], [])
    assert Counter(map(stage_of, server.prompts()))["caption"] == 1
    for content, meta in kept():
        assert "Also." in content
        assert "Also." not in meta["original"]
        assert meta["summary"] == SAID["summary"]
    catalog = open_catalog()
    deck = catalog.documents.find("birds", "pumps.pptx")
    assert deck["meta"]["tags"] == SAID["tags"]
    of_chunks = {"refined", "refined_from", "original", "captions", "degraded", "degraded_stages"}
    assert not of_chunks & set(deck["meta"])
    (picture,) = catalog.images.of_document(deck["doc_id"])
    assert picture["description"] == SEEN
    answer = ask("Which pump has the highest pressure, Iris, Lotus or Tulip?", "birds")
    assert answer.citations[0].images == [picture["image_id"]]
    tagged = catalog.chunks.matching("birds", {"field": "meta.tags", "operator": "==", "value": "湿地"})
    assert len(tagged) == len(kept())


def test_half_of_the_calls_fail_and_the_next_run_asks_for_those_alone(graph, files, server, turns):
    numbers, lock = itertools.count(), threading.Lock()
    bad = itertools.cycle([turns.raw(429, headers={"retry-after-ms": "10"}), turns.raw(500)])
    done = set()

    def say(prompt):
        with lock:  # every second call fails, and those about terns and pictures whatever is tried
            if next(numbers) % 2 or "The tern" in prompt or stage_of(prompt) == "caption":
                return next(bad)
            done.add(prompt)
            return answered(prompt)

    server.say = say
    first = run(graph, files)
    assert (len(first.written), first.failed) == (7, [])
    stages = {(entry["source"], entry["stage"]) for entry in first.degraded}
    assert {("tern.md", "refine"), ("tern.md", "metadata"), ("pumps.pptx", "caption")} <= {
        (PurePath(source).name, stage) for source, stage in stages
    }
    marks = {row["source"]: row["meta"].get("degraded_stages", []) for row in documents()}
    assert {(source, stage) for source, found in marks.items() for stage in found} == stages
    assert sum(e["chunks"] for e in first.degraded) == sum(len(meta.get("degraded", [])) for _, meta in kept())

    server.requests.clear()
    server.say = answered
    second = run(graph, files)
    assert {entry["source"] for entry in second.written} == {source for source, _ in stages}
    assert (len(second.unchanged), second.degraded) == (7 - len(second.written), [])
    assert not done & set(server.prompts())
    assert Counter(map(stage_of, server.prompts())) == Counter(stage for _, stage in stages)
    assert not any("degraded" in meta or "degraded_stages" in meta for _, meta in kept())
    server.requests.clear()
    assert len(run(graph, files).unchanged) == 7
    assert server.requests == []


def test_a_server_that_never_answers_holds_up_no_document(graph, files, server, turns, tmp_path):
    file = tmp_path / "pipelines" / "more" / "ingest_llm.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("timeout_s: 5", "timeout_s: 0.2\n              budget_s: 2"), "utf-8")
    server.say = lambda prompt: turns.silence()
    result = run(graph, files)
    assert (len(result.written), result.failed) == (7, [])
    assert {entry["stage"] for entry in result.degraded} == {"refine", "caption", "metadata"}
    assert all(meta["degraded"] for _, meta in kept())
    assert all(meta["tags"] for _, meta in kept())  # by rules


def test_without_a_key_rules_do_it_and_the_reason_names_the_variable(graph, files, monkeypatch):
    monkeypatch.delenv("KHUB_LLM_API_KEY")
    result = run(graph, files)
    assert (len(result.written), result.failed) == (7, [])
    assert all("KHUB_LLM_API_KEY" in entry["reason"] for entry in result.degraded)


def test_replies_for_a_deleted_document_are_forgotten(graph, files, server):
    def replies():
        return open_cache().path.read_bytes() if open_cache().path.exists() else b""

    def checkpoint():
        open_cache()._with_file(lambda file: file.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        return replies()

    run(graph, files)
    assert b"heron eats" in checkpoint()
    delete_document("heron.md", "birds")
    assert b"heron eats" not in checkpoint()
    assert b"stork eats" in replies()
    delete_collection("birds")
    assert b"stork eats" not in checkpoint()


def test_replies_that_are_not_what_was_asked_for_leave_the_rules_and_are_never_logged(graph, files, server, caplog):
    server.say = lambda prompt: "Secret words of the heron, and no JSON."
    result = run(graph, files)
    assert (len(result.written), result.failed) == (7, [])
    assert {"refine", "metadata"} <= {entry["stage"] for entry in result.degraded}
    assert all(meta["degraded"] and meta["tags"] for _, meta in kept())
    assert "Secret words" not in caplog.text
    assert "fell back to rules" in caplog.text
