"""The recipe changes when the stages between file and chunk change, and only then."""

import hashlib
import json

import pytest
from haystack import Pipeline

from khub.components.splitters.markdown_splitter import MarkdownSplitter
from khub.server.library.recipe import enriched_recipe, recipe_of
from tests.server.hub_files import PIPELINES, shipped

pytestmark = pytest.mark.unit

TEXT = (PIPELINES / "ingest.yaml").read_text(encoding="utf-8")


def recipe(old="", new=""):
    assert old in TEXT
    return recipe_of(Pipeline.loads(TEXT.replace(old, new) if old else TEXT, allowed_modules=["khub.components.*"]))


def test_same_graph_has_the_same_recipe():
    assert recipe() == recipe()
    assert len(recipe()) == 16


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (shipped("ingest", "chunk_size: .*"), "chunk_size: 700"),
        (shipped("ingest", "overlap: .*"), "overlap: 100"),
        (shipped("ingest", "timeout_s: .*"), "timeout_s: 61"),
    ],
)
def test_stages_that_make_chunks_count(old, new):
    assert recipe(old, new) != recipe()


def test_version_of_a_stage_counts(monkeypatch):
    before = recipe()
    monkeypatch.setattr(MarkdownSplitter, "fingerprint", "newer")
    assert recipe() != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model: khub-base", "prefix: 'passage: '"),
        ("distance_function: cosine", "distance_function: l2"),
        ("IntegrityCheck\n    init_parameters: {}", "IntegrityCheck\n    init_parameters: {force: true}"),
        ("description: Files", "description: Other files"),
    ],
)
def test_other_stages_do_not(old, new):
    assert recipe(old, new) == recipe()


def test_classes_count_by_their_names_of_0_1_0():
    pipeline = Pipeline()
    pipeline.add_component("split", MarkdownSplitter())
    (definition,) = pipeline.to_dict()["components"].values()
    as_it_was = {**definition, "type": "components.splitters.markdown_splitter.MarkdownSplitter"}
    stages = {"split": {"definition": as_it_was, "version": MarkdownSplitter().fingerprint}}
    digest = hashlib.sha256(json.dumps(stages, sort_keys=True).encode()).hexdigest()
    assert recipe_of(pipeline)[:8] == digest[:8]


REFINED = """
components:
  refine:
    type: khub.components.enrichers.chunk_refiner.ChunkRefiner
    init_parameters:
      generator:
        type: haystack.components.generators.chat.openai.OpenAIChatGenerator
        init_parameters:
          api_key: {type: env_var, env_vars: [A_KEY], strict: true}
          model: one
          timeout: 10
      min_kept: 0.5
      concurrency: 4
      attempts: 3
      timeout_s: 60
      backoff_s: 1
      budget_s: 600
connections: []
"""


def refined(old="", new=""):
    assert old in REFINED
    return recipe_of(Pipeline.loads(REFINED.replace(old, new), allowed_modules=["khub.components.*"]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("concurrency: 4", "concurrency: 5"), ("attempts: 3", "attempts: 1"), ("timeout_s: 60", "timeout_s: 7"),
        ("backoff_s: 1", "backoff_s: 0"), ("budget_s: 600", "budget_s: 60"), ("timeout: 10", "timeout: 11"),
        ("timeout: 10", "max_retries: 2"), ("A_KEY", "ANOTHER_KEY"),
    ],
)  # fmt: skip
def test_how_patiently_a_model_is_asked_does_not_count(old, new):
    assert refined(old, new) == refined()


@pytest.mark.parametrize(("old", "new"), [("model: one", "model: two"), ("min_kept: 0.5", "min_kept: 0.6")])
def test_which_model_is_asked_and_what_is_taken_of_it_counts(old, new):
    assert refined(old, new) != refined()


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (shipped("ingest", "chunk_size: .*"), "chunk_size: 700", slice(8, None)),
        (shipped("ingest", "tags: .*"), "tags: 5", slice(0, 8)),
    ],
)
def test_the_halves_are_of_the_stages_before_and_behind_the_splitter(old, new, same):
    assert recipe(old, new) != recipe()
    assert recipe(old, new)[same] == recipe()[same]


def test_enriched_chunks_bear_the_first_half_of_what_made_them():
    assert enriched_recipe("aaaaaaaabbbbbbbb", "ccccccccdddddddd") == "aaaaaaaadddddddd"
    assert enriched_recipe(None, "ccccccccdddddddd") == "00000000dddddddd"
