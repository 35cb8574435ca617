"""The recipe changes when the stages between file and chunk change, and only then."""

import pytest
from haystack import Pipeline

from components.splitters.markdown_splitter import MarkdownSplitter
from server.recipe import recipe_of
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.unit

TEXT = (PIPELINES / "ingest.yaml").read_text(encoding="utf-8")


def recipe(old="", new=""):
    assert old in TEXT
    return recipe_of(Pipeline.loads(TEXT.replace(old, new) if old else TEXT, allowed_modules=["components.*"]))


def test_same_graph_has_the_same_recipe():
    assert recipe() == recipe()
    assert len(recipe()) == 16


@pytest.mark.parametrize(
    ("old", "new"),
    [("chunk_size: 800", "chunk_size: 700"), ("overlap: 150", "overlap: 100"), ("timeout_s: 60", "timeout_s: 61")],
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
