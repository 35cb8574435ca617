"""Dify's external knowledge API, as its documentation describes it."""

import pytest

from khub.components.errors import FilterError
from khub.server.http.dify.conditions import Condition, Conditions, filter_of
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from khub.server.reads.hub_reads import reader

pytestmark = pytest.mark.integration

HERONS = "How do herons wade?"


def asked(query=HERONS, knowledge="default", top_k=3, threshold=0.0, **more):
    setting = {"top_k": top_k, "score_threshold": threshold}
    return {"knowledge_id": knowledge, "query": query, "retrieval_setting": setting, **more}


def test_passages_come_with_score_title_and_metadata(client):
    reply = client.post("/retrieval", json=asked())
    assert reply.status_code == 200
    records = reply.json()["records"]
    assert 0 < len(records) <= 3
    assert [sorted(one) for one in records] == [["content", "metadata", "score", "title"]] * len(records)
    assert "Herons" in records[0]["content"]
    assert records[0]["title"] == "Birds"
    assert all(isinstance(one["metadata"], dict) for one in records)
    scores = [one["score"] for one in records]
    assert all(0 <= score <= 1 for score in scores)
    assert len(client.post("/retrieval", json=asked(top_k=1)).json()["records"]) == 1
    over = client.post("/retrieval", json=asked(threshold=scores[0])).json()["records"]
    assert [one["score"] for one in over] == [score for score in scores if score >= scores[0]]


def test_nothing_is_an_empty_list(client):
    assert client.post("/retrieval", json=asked("What is the capital of Mongolia called?")).json() == {"records": []}


def test_metadata_names_no_path_of_the_machine(client, tmp_path):
    assert str(tmp_path) not in client.post("/retrieval", json=asked()).text


def test_an_address_in_metadata_opens_no_door(client, tmp_path):
    note = tmp_path / "quills.md"
    note.write_text(
        "---\nurl: https://bob:s3cret@wiki.example/quills?token=abc\n---\n# Quills\n\nA quill is cut from a feather.\n",
        encoding="utf-8",
    )
    (written,) = ingest([str(note)]).written
    found = client.post("/retrieval", json=asked("What is a quill cut from?")).json()["records"][0]["metadata"]
    shown = client.get(f"/documents/{written['doc_id']}").json()["metadata"]
    listed = client.get("/documents").json()["documents"]
    urls = {found["url"], shown["url"], *(one["metadata"]["url"] for one in listed if "url" in one["metadata"])}
    assert urls == {"https://wiki.example/quills"}


def error(reply, status):
    assert reply.status_code == status
    assert sorted(reply.json()) == ["error_code", "error_msg"]
    assert reply.headers["content-type"] == "application/json"
    return reply.json()["error_code"]


def test_refusals_have_the_numbers_of_the_contract(hub, serving):
    elsewhere, _ = create_token("elsewhere", collections=["other"])
    with serving("r", "w") as client:

        def send(authorization, **more):
            headers = {} if authorization is None else {"Authorization": authorization}
            return client.post("/retrieval", json=asked(**more), headers=headers)

        assert send("Bearer r").status_code == 200
        assert [error(send(one), 401) for one in (None, "r", "Bearer", "Basic r")] == [1001] * 4
        assert error(send("Bearer wrong"), 401) == 1002
        assert error(send("Bearer r", knowledge="nothing"), 404) == 2001
        assert error(send(f"Bearer {elsewhere}"), 404) == 2001


def test_requests_that_do_not_fit_are_refused_in_the_same_shape(client):
    def condition(**one):
        return {"metadata_condition": {"conditions": [{"name": "team", **one}]}}

    for more in (
        {"top_k": 0},
        {"threshold": 2},
        condition(comparison_operator="sounds like", value="x"),
        condition(comparison_operator="contains", value="a*b"),
        condition(comparison_operator=">", value="much"),
        condition(comparison_operator="is"),
        condition(comparison_operator="before", value="soon"),
        condition(comparison_operator="before", value="0001-01-01T00:00:00+14:00"),
        condition(comparison_operator="after", value=1e300),
        {"threshold": "high"},
        condition(comparison_operator="is", value="x", unknown=1),
        {"metadata_condition": {"logical_operator": "xor", "conditions": []}},
    ):
        assert error(client.post("/retrieval", json=asked(**more)), 422) == 422, more
    assert error(client.post("/retrieval", content=b"{", headers={"Content-Type": "application/json"}), 400) == 400


BIRDS = {"team": "birds", "year": 2021, "due": "2024-03-05"}
FISH = {"team": "fish and chips", "year": 2023, "due": "2024-04-01T10:00:00.000+00:00", "tags": ["sea", "salt"]}
NEITHER, BOTH = [], ["a", "b"]


@pytest.fixture
def marked(fixed_graphs, tmp_path, converted_here):
    """Three documents: with metadata, with other metadata, with none."""
    for name, meta in (("a", BIRDS), ("b", FISH), ("c", {})):
        note = tmp_path / f"{name}.md"
        note.write_text(f"# Note {name}\n\nThis is the note {name} about the quiet lake.\n", encoding="utf-8")
        assert not ingest([str(note)], "marked", meta=meta).failed


def passing(*conditions, joined_by="and"):
    wanted = filter_of(Conditions(logical_operator=joined_by, conditions=list(conditions)))
    return [row["source"][-4] for row in reader().documents("marked", 0, -1, wanted)]


def one(name, operator, value=None):
    return Condition(name=name, comparison_operator=operator, value=value)


OPERATORS = [
    ("team", "contains", "ish", ["b"]),
    ("team", "not contains", "ish", ["a", "c"]),
    ("team", "start with", "bi", ["a"]),
    ("team", "end with", "chips", ["b"]),
    ("team", "is", "birds", ["a"]),
    ("team", "is not", "birds", ["b", "c"]),
    ("team", "in", ["birds", "nothing"], ["a"]),
    ("team", "not in", ["birds"], ["b", "c"]),
    ("team", "empty", None, ["c"]),
    ("team", "not empty", None, BOTH),
    ("tags", "contains", "sea", ["b"]),
    ("tags", "is", "salt", ["b"]),
    ("year", "=", "2021", ["a"]),
    ("year", "≠", 2021, ["b", "c"]),
    ("year", ">", 2021, ["b"]),
    ("year", "<", "2023", ["a"]),
    ("year", "≥", 2021, BOTH),
    ("year", "≤", 2020, NEITHER),
    ("due", "before", "2024-03-06", ["a"]),
    ("due", "before", "2024-03-05", NEITHER),
    ("due", "after", "2024-03-05", ["b"]),
    ("due", "after", "2024-03", ["b"]),
    ("due", "after", "2024-04-01T09:00:00Z", ["b"]),
    ("due", "before", 1711965600, ["a"]),  # 2024-04-01T10:00:00Z
    (["year", "team"], "is", "birds", ["a"]),
    (["team", "due"], "not contains", "2024-04", ["a", "c"]),
]


def test_every_operator_keeps_what_it_says(marked):
    for name, operator, value, wanted in OPERATORS:
        assert passing(one(name, operator, value)) == wanted, (name, operator, value)


def test_conditions_are_joined_and_hold_for_what_is_found(marked, serving):
    birds, old = one("team", "is", "birds"), one("year", "≥", 2023)
    assert passing(birds, old) == NEITHER
    assert passing(birds, old, joined_by="or") == BOTH
    with serving() as client:
        body = asked("note about the quiet lake", "marked", 10)
        files = [record["metadata"]["file"] for record in client.post("/retrieval", json=body).json()["records"]]
        assert len(files) > 1
        wanted = {"metadata_condition": {"conditions": [birds.model_dump()]}}
        (record,) = client.post("/retrieval", json=body | wanted).json()["records"]
        assert record["metadata"]["file"] == "a.md"
        assert record["metadata"]["team"] == "birds"


@pytest.mark.unit
def test_levels_are_no_callers_to_filter_by(fixed_graphs):
    from khub.components.catalog.filters import compile_filters

    with pytest.raises(FilterError):
        compile_filters(filter_of(Conditions(conditions=[one("access_level", "is", "secret")])))
    assert filter_of(None) is filter_of(Conditions(conditions=[])) is None
