import re

import pytest

from khub.server.graphs.examination import examine_graph
from tests.error_codes import raises_code
from tests.server.hub_files import edit

pytestmark = pytest.mark.unit


def test_a_graph_for_no_command_is_told_what_it_lacks(write_graph, query_text):
    path = write_graph("query", query_text.replace("  query: [", "  question: [").replace("collection:", "kollektion:"))
    found = examine_graph(path)
    assert [(p.line, p.code, p.remedy) for p in found] == [
        (12, "graph_input_wrong", "add query: component.socket"),
        (14, "graph_input_wrong", "rename 'kollektion'"),
    ]
    assert ["kollektion, limit, question" in p.message for p in found] == [True, True]


def test_an_evaluate_graph_takes_cases_and_answers_and_gives_scores(pipelines):
    path = pipelines / "evaluate.yaml"
    assert examine_graph(path) == []
    edit(path, "  answers: [", "  replies: [")
    edit(path, "  failed: table.failed\n", "")
    assert [(p.code, p.remedy) for p in examine_graph(path)] == [
        ("graph_input_wrong", "add answers: component.socket"),
        ("graph_input_wrong", "add failed: component.socket"),
    ]


def test_other_mistakes_come_first(write_graph, query_text):
    path = write_graph("query", query_text.replace("  query: [", "  question: [").replace("top_k", "topk"))
    assert [problem.line for problem in examine_graph(path)] == [6]


def test_models_are_looked_for_wherever_they_stand(fixed_graphs):
    path = fixed_graphs / "query.yaml"
    edit(path, "model: khub-base", f"model: '{fixed_graphs}'")
    assert examine_graph(path) == []  # a folder may hold one
    line = edit(path, f"model: '{fixed_graphs}'", "model: base")
    assert [(p.line, p.component) for p in examine_graph(path)] == [(line, "dense")]


TRANSLATION = "QueryTranslation\n    init_parameters: {model: "
INTERACTION = "LateInteractionRanker\n    init_parameters: {model: "
WRITER = "CollectionWriter\n    init_parameters:\n"
JUDGE = "ClaimJudge\n    init_parameters:\n      "


@pytest.mark.parametrize(
    ("graph", "stage", "old", "new"),
    [
        ("query", "translate", f"{TRANSLATION}khub-fast", f"{TRANSLATION}khub-fats"),
        ("query", "rerank", f"{INTERACTION}khub-fast", f"{INTERACTION}khub-fats"),
        ("ingest", "write", WRITER, f"{WRITER}      interaction_model: khub-fats\n"),
        ("verify", "judge", f"{JUDGE}model: khub-base", f"{JUDGE}model: khub-bsae"),
        ("verify", "judge", f"{JUDGE}model: khub-base", f"{JUDGE}interaction_model: khub-fats"),
        ("verify", "judge", "fallback: khub-fast\n      top_k: 3", "fallback: khub-fats\n      top_k: 3"),
    ],
)
def test_every_parameter_that_names_a_model_is_looked_at(pipelines, graph, stage, old, new):
    path = pipelines / f"{graph}.yaml"
    line = edit(path, old, new)
    (problem,) = examine_graph(path)
    assert (problem.line, problem.component) == (line, stage)
    assert re.fullmatch("did you mean 'khub-(fast|base)'[?]", problem.remedy)


def test_the_name_of_a_language_model_is_its_servers_matter(pipelines):
    path = pipelines / "more" / "ask.yaml"
    assert "model:" in path.read_text(encoding="utf-8")
    assert examine_graph(path) == []


def test_a_file_that_is_no_text_cannot_be_examined(write_graph):
    path = write_graph("query")
    path.write_bytes(b"a: b\nc: \xff\n")
    with raises_code("graph_unreadable", "'pipelines/query.yaml'", "line 2", "UTF-8"):
        examine_graph(path)
