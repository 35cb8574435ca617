"""`khub enrich`."""

import pytest

from server.commands.enrich import _show_result
from server.library.enrich import EnrichResult
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.integration


@pytest.fixture
def graph(filled, tmp_path, monkeypatch):
    """A graph that finds other tags than the one by which the collection was filled, from the same text."""
    monkeypatch.setenv("KHUB_PIPELINES", str(copy_pipelines(tmp_path)))
    edit(tmp_path / "pipelines" / "ingest.yaml", "tags: 8", "tags: 1")
    return "ingest"


def test_it_says_what_would_be_done_does_it_and_then_has_nothing_to_do(graph, khub, khub_json, filled):
    planned = khub_json("enrich", "ember.md", "notes.txt", "--graph", graph, "--dry-run")
    assert planned["documents"] == [str(filled / "ember.md"), str(filled / "notes.txt")]
    counted = {"chunks": 2, "pictures": 0, "unchanged": [], "stages": ["describe"], "models": []}
    assert {key: planned[key] for key in counted} == counted
    plan = khub("enrich", "--graph", graph, "--dry-run").stdout
    assert plan == (
        "default: 3 documents (3 chunks, 0 pictures) would go through describe (no model is asked), 0 unchanged; "
        "nothing was written\n"
    )
    assert len(khub_json("show", "ember.md")["meta"]["tags"]) > 1

    done = khub("enrich", "*.md", "--graph", graph)
    assert (done.exit_code, done.stdout.partition(" in ")[0]) == (
        0, "default: 2 enriched (2 chunks), 0 unchanged, 0 failed by describe",
    )  # fmt: skip
    assert "2/2 documents" in done.stderr
    assert len(khub_json("show", "ember.md")["meta"]["tags"]) == 1
    again = khub_json("enrich", "--graph", graph)
    assert (len(again["written"]), len(again["unchanged"])) == (1, 2)
    later = khub_json("ingest", filled, "--graph", graph)
    assert (len(later["written"]), len(later["unchanged"])) == (0, 3)


def test_models_are_named(filled, khub_json):
    planned = khub_json("enrich", "--graph", "more/ingest_llm", "--dry-run")
    assert planned["stages"] == ["refine", "caption", "describe"] == planned["models"]


def test_troubles_are_told_one_line_each_and_a_failure_is_one(capsys):
    result = EnrichResult("notes", "g", ["refine"])
    result.degraded = [{"stage": "refine", "reason": "no answer in 60 s", "source": "/n/a.md", "chunks": 2}]
    result.overtaken = ["/n/b.md"]
    result.failed = [{"source": "/n/c.md", "stage": "enrich", "error": "broken", "remedy": "mend it"}]
    with pytest.raises(Exception, match="1"):
        _show_result(result, as_json=False)
    written = capsys.readouterr()
    assert written.err.splitlines() == [
        "khub: refine degraded in a.md (2 chunks): no answer in 60 s: enrich again to ask for these alone",
        "khub: /n/b.md: ingested anew or deleted meanwhile, and left as it is: enrich again",
        "khub: /n/c.md: broken: mend it",
    ]
    assert "0 enriched (0 chunks), 0 unchanged, 1 failed, 1 changed meanwhile by refine" in written.out


def test_without_a_collection_it_says_how_to_make_one(khub):
    result = khub("enrich")
    assert result.exit_code == 1
    assert "khub ingest PATH" in result.stderr
