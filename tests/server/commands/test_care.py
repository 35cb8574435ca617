"""`khub doctor`, `khub reindex` and `khub trace`."""

import json

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.stores.consistency import Findings
from khub.server.library.doctor import Diagnosis
from khub.server.library.edits import edit_document
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.integration


def test_doctor_finds_a_filled_collection_healthy(khub, khub_json, filled):
    result = khub("doctor")
    assert (result.exit_code, result.stdout.split(" (")[0]) == (0, "default: healthy")
    report = khub_json("doctor", "--full", "-c", "default")
    assert report["healthy"]
    assert report["collections"][0]["documents"] == 3
    assert report["collections"][0]["searched"] == report["collections"][0]["chunks"]


def test_doctor_names_no_repair_where_only_a_reindex_helps(khub, filled):
    with open_catalog().database.transaction() as connection:
        connection.execute("DELETE FROM vectors")
    broken = khub("doctor")
    assert broken.exit_code == 1
    assert "khub reindex" in broken.stdout
    assert "--repair" not in broken.stderr


def test_doctor_repairs(khub, khub_json, filled, tmp_path):
    index = next((tmp_path / "home" / "sparse").rglob("meta.json"))
    index.write_bytes(b"")
    broken = khub("doctor")
    assert broken.exit_code == 1
    assert "default: 1 problem" in broken.stdout
    assert "khub doctor --repair" in broken.stderr
    repaired = khub_json("doctor", "--repair")
    assert repaired["healthy"]
    assert repaired["collections"][0]["repaired"]
    assert khub("doctor").exit_code == 0


def test_doctor_exits_1_while_problems_remain(khub, monkeypatch):
    seen = []

    def diagnose(*arguments):
        seen.append(arguments)
        return [Diagnosis(Findings("a", problems=["two\nlines"]), []), Diagnosis(Findings("b"), ["done: it"])]

    monkeypatch.setattr("khub.server.library.doctor.diagnose", diagnose)
    result = khub("doctor", "--repair", "--full", "-c", "a")
    assert result.exit_code == 1
    assert seen == [("a", True, True)]
    assert "  two\\nlines\n" in result.stdout
    assert "b: healthy" in result.stdout
    assert "  done: it\n" in result.stdout
    assert result.stderr == "khub: problems remain\n"


def test_doctor_of_an_empty_hub_and_of_an_unknown_collection(khub, khub_json):
    assert khub("doctor").exit_code == 0
    assert khub_json("doctor") == {"healthy": True, "collections": []}
    assert khub("doctor", "-c", "nowhere").exit_code == 1


def test_reindex_keeps_the_chunks(khub, khub_json, filled):
    before = khub_json("doctor")["collections"][0]["chunks"]
    assert khub_json("reindex") == {"collection": "default", "chunks": before, "graph": "ingest", "left": []}
    result = khub("reindex", "-c", "default")
    assert result.stdout == f"default: {before} chunks indexed by graph 'ingest'\n"
    assert f"reindex {before}/{before} chunks" in result.stderr
    assert "eleven hours" in khub("query", "battery").stdout


def test_traces_are_listed_and_shown(khub, khub_json, filled):
    trace_id = khub_json("query", "battery of the Ember robot")["trace_id"]
    khub("query", " ")
    newest, asked, filled_ = khub_json("trace", "list")["traces"]
    assert (asked["trace_id"], filled_["kind"]) == (trace_id, "ingest")
    assert "stages" not in asked
    assert newest["error"]
    assert len(khub_json("trace", "list", "--limit", 1)["traces"]) == 1
    assert [t["kind"] for t in khub_json("trace", "list", "--kind", "ingest")["traces"]] == ["ingest"]
    assert khub_json("trace", "list", "--kind", "evaluate")["traces"] == []
    rows = [line.split("\t") for line in khub("trace", "list").stdout.splitlines()]
    assert rows[2][0] == trace_id[:8]
    assert rows[2][6] == "battery of the Ember robot"
    assert rows[3][6] == "3 files"
    shown = khub("trace", "show", trace_id[:8]).stdout
    stages = {line.split("\t")[0]: line.split("\t") for line in shown.splitlines() if "\t" in line}
    assert {"analyze", "dense", "  embed", "sparse", "join", "rank", "answer"} <= set(stages)
    assert int(stages["sparse"][4]) >= 1
    assert "coverage=" in stages["sparse"][5]
    assert khub_json("trace", "show", trace_id)["trace_id"] == trace_id


def test_a_trace_shows_nothing_of_what_is_closed(khub, khub_json, filled, monkeypatch):
    trace_id = khub_json("query", "battery of the Ember robot")["trace_id"]
    cited = {stage["name"]: stage for stage in khub_json("trace", "show", trace_id)["stages"]}
    assert any("details" in stage for stage in cited.values())
    for row in open_catalog().documents.of_collection("default"):
        edit_document(row, None, {"access_level": "board"})
    monkeypatch.setenv("KHUB_ACCESS", "public")
    closed = khub_json("trace", "show", trace_id)
    assert [stage["name"] for stage in closed["stages"]] == [*cited]
    assert not any("details" in stage for stage in closed["stages"])
    shown = khub("trace", "show", trace_id).stdout
    assert "battery of the Ember robot" in shown
    assert "None" not in shown


def test_a_masked_trace_of_a_question_holds_no_word_of_it(khub, khub_json, filled, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE_MASK", "1")
    monkeypatch.setenv("KHUB_TRACE", "verbose")
    answer = khub_json("query", "battery of the Ember robot 电池 wie lange?")
    trace = json.dumps(khub_json("trace", "show", answer["trace_id"]), ensure_ascii=False).casefold()
    assert not [word for word in ("battery", "ember", "robot", "电池", "lange", "eleven hours") if word in trace]
    assert answer["citations"][0]["chunk_id"] in trace
    assert "characters" in khub("trace", "list").stdout


def test_traces_are_filtered(khub, khub_json, filled):
    found = khub_json("query", "battery of the Ember robot")["trace_id"]
    missed = khub_json("query", "who won the world cup in 1998?")
    assert missed["abstained"]
    khub("query", " ")

    def listed(*options):
        return [row["trace_id"] for row in khub_json("trace", "list", *options)["traces"]]

    assert listed("--words", "EMBER battery") == [found]
    assert listed("--abstained") == [missed["trace_id"]]
    assert listed("--no-abstained") == [found]
    assert len(listed("--failed")) == 1
    assert found in listed("-c", "default", "--graph", "query", "--no-degraded")
    assert listed("-c", "other") == listed("--slower", "1e9") == []
    assert "abstained" in khub("trace", "list", "--abstained").stdout
    assert "no trace" in khub("trace", "list", "--graph", "other").stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["show", "nothing"], 1), (["show"], 2), (["list", "--kind", "other"], 2), (["list", "--limit", "0"], 2)],
)
def test_bad_trace_arguments(khub, arguments, code):
    assert khub("trace", *arguments).exit_code == code


def test_no_traces_yet(khub, khub_json):
    assert "khub query" in khub("trace", "list").stderr
    assert khub_json("trace", "list") == {"traces": []}


def test_traces_of_the_minimal_level_can_be_shown(khub, khub_json, filled, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", "minimal")
    trace_id = khub_json("query", "battery")["trace_id"]
    assert "battery" not in khub("trace", "list").stdout
    assert "7 characters" in khub("trace", "show", trace_id).stdout


def test_reindex_with_a_graph_sends_the_chunks_through_its_stages_once(filled, khub, khub_json, tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(copy_pipelines(tmp_path)))
    edit(tmp_path / "pipelines" / "ingest.yaml", "tags: 8", "tags: 1")
    assert len(khub_json("show", "ember.md")["meta"]["tags"]) > 1
    said = khub("reindex", "--graph", "ingest").stdout
    assert said == "default: 3 chunks indexed by graph 'ingest', 3 documents went through describe, 0 failed\n"
    assert len(khub_json("show", "ember.md")["meta"]["tags"]) == 1
    assert khub_json("reindex", "--graph", "ingest")["enriched"] == []
    assert len(khub_json("ingest", filled, "--graph", "ingest")["unchanged"]) == 3


def test_reindex_tells_troubles_one_line_each_and_a_failure_is_one(khub, monkeypatch):
    result = {
        "collection": "notes", "chunks": 4, "graph": "g", "stages": ["refine"], "enriched": [],
        "degraded": [{"stage": "refine", "reason": "no answer in 60 s", "source": "/n/a.md", "chunks": 2}],
        "overtaken": ["/n/b.md"],
        "failed": [{"source": "/n/c.md", "stage": "enrich", "error": "broken", "remedy": "mend it"}],
    }  # fmt: skip
    monkeypatch.setattr("khub.server.library.collections.reindex", lambda *arguments: result)
    said = khub("reindex", "--graph", "g")
    assert said.exit_code == 1
    assert said.stderr.splitlines() == [
        "khub: refine degraded in a.md (2 chunks): no answer in 60 s: reindex again to ask for these alone",
        "khub: /n/b.md: ingested anew or deleted meanwhile, and left as it is: reindex again",
        "khub: /n/c.md: broken: mend it",
    ]


def test_reindex_tells_what_could_not_be_deleted_and_has_moved_all_the_same(khub, monkeypatch, filled):
    monkeypatch.setattr(
        "khub.server.library.collections.drop_left_indexes", lambda *_: ["index default_g1 is still there"]
    )
    result = khub("reindex")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1].startswith("khub: index default_g1 is still there: ")
    assert "khub doctor --repair" in result.stderr
