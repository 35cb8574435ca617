"""Questions go to a service, and what it did for them is read from there."""

import pytest

pytestmark = pytest.mark.integration


@pytest.fixture
def asked(there, notes):
    there.json("ingest", notes, "-c", "questions", "--meta", "team=差旅")
    return lambda *arguments, **more: there.json("query", *arguments, "-c", "questions", **more)


def test_an_answer_is_that_of_the_service(asked, there):
    answer = asked("酒店每晚上限是多少？")
    assert (answer["collection"], answer["citations"][0]["title"]) == ("questions", "差旅预算")
    text = there.run("query", "酒店每晚上限是多少？", "-c", "questions").stdout
    assert answer["citations"][0]["title"] in text
    assert there.run("query", "-", "-c", "questions", input="How do herons wade?").stdout.count("Birds") > 0


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        (("-k", "1"), 1),
        (("--filter", "type:text"), 1),
        (("--filter", "team=差旅", "--filter", "type:markdown"), 2),
        (("--filter", "team=none"), 0),
    ],
)
def test_options_reach_the_service(asked, options, titles):
    assert len({one["title"] for one in asked("herons trout 酒店", *options)["citations"]}) == titles


def test_legs_reach_the_service(asked):
    legs = {leg["name"]: leg["used"] for leg in asked("herons", "--legs", "sparse")["legs"]}
    assert legs == {"dense": False, "sparse": True}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("query", "x", "--explain"), 2, "--explain"),
        (("query", "x", "--graph", "no-such"), 1, "no-such"),
        (("query", "x", "-c", "没有"), 1, "没有"),
        (("query", "x", "-k", "500"), 1, "top_k"),
        (("query", "x", "--filter", "page>>3"), 1, "two operators"),
        (("trace", "show", "0" * 32), 1, "no trace"),
        (("trace", "show", "xyz"), 1, "xyz"),
    ],
)
def test_what_cannot_be_asked_is_one_line(there, arguments, code, said):
    done = there.run(*arguments, code=code)
    (line,) = done.stderr.splitlines()
    assert line.startswith("khub: ")
    assert said in line
    assert done.stdout == ""


def test_an_error_is_json_where_that_is_wanted(asked):
    error = asked("x", "--filter", "page>>3", code=1)["error"]
    assert set(error) == {"type", "code", "message", "remedy"}


def test_runs_are_listed_and_shown(asked, there):
    answers = [asked(f"What do herons eat on day {number}?") for number in range(3)]
    listed = there.json("trace", "list", "--kind", "query", "--limit", "2")["traces"]
    assert [row["trace_id"] for row in listed] == [answer["trace_id"] for answer in answers[:0:-1]]
    assert [row["query"] for row in there.json("trace", "list", "--words", "herons DAY 1")["traces"]] == [
        "What do herons eat on day 1?"
    ]
    assert there.json("trace", "list", "--words", "herons", "--failed")["traces"] == []
    lines = there.run("trace", "list", "--limit", "300").stdout.splitlines()
    assert lines[0].split("\t") == ["id", "time", "kind", "graph", "collection", "ms", "what", "trouble"]
    assert {line.split("\t")[2] for line in lines[1:]} == {"query", "ingest"}
    assert all(
        line.split("\t")[6] in ("1 file", "2 files", "3 files") for line in lines if "\tingest\tingest\t" in line
    )
    assert "day 2" in lines[1]
    shown = there.json("trace", "show", answers[0]["trace_id"][:8])
    assert shown["query"] == "What do herons eat on day 0?"
    text = there.run("trace", "show", answers[0]["trace_id"]).stdout
    assert {stage["name"] for stage in shown["stages"]} <= {line.split("\t")[0] for line in text.splitlines()}
