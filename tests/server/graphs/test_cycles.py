import pytest
from haystack import Pipeline
from haystack.core.errors import PipelineComponentsBlockedError

from khub.server.graphs.check import check_graph_text

pytestmark = pytest.mark.unit

# two pairs that feed each other; of the first, one could start by itself if `query` came from outside
TEXT = """\
metadata: {kind: query}
components:
  first: {type: graph_parts.Find}
  words: {type: graph_parts.Words}
  last: {type: graph_parts.Words}
connections:
  - {sender: first.documents, receiver: words.documents}
  - {sender: words.query, receiver: first.query}
  - {sender: words.query, receiver: last.optional}
  - {sender: first.documents, receiver: last.documents}
inputs:
  collection: first.collection
outputs:
  documents: first.documents
"""


def lines(text):
    return [str(problem.as_error("q.yaml")) for problem in check_graph_text(text, "q.yaml")]


def test_a_cycle_in_which_all_wait_is_told_with_the_connection_that_leads_back():
    (problem,) = check_graph_text(TEXT, "q.yaml")
    assert (problem.line, problem.component, problem.code) == (8, "first", "graph_connection_invalid")
    assert "first -> words -> first" in problem.message


def test_haystack_cannot_run_such_a_cycle():
    pipeline = Pipeline.loads(TEXT, allowed_modules=["graph_parts"])
    with pytest.raises(PipelineComponentsBlockedError):
        pipeline.run({"first": {"collection": "notes"}})


def test_each_cycle_is_told():
    text = TEXT.replace("  last: {type: graph_parts.Words}\n", "")
    text = text.replace("  - {sender: words.query, receiver: last.optional}\n", "")
    text = text.replace("  - {sender: first.documents, receiver: last.documents}\n", "")
    more = text.replace(
        "connections:\n", "  a: {type: graph_parts.Find}\n  b: {type: graph_parts.Words}\nconnections:\n"
    )
    more = more.replace(
        "inputs:\n",
        "  - {sender: b.query, receiver: a.query}\n  - {sender: a.documents, receiver: b.documents}\ninputs:\n",
    )
    assert [line.split(" cannot")[0] for line in lines(more)] == [
        "q.yaml:9: first: the cycle first -> words -> first",
        "q.yaml:10: a: the cycle a -> b -> a",
    ]


def test_a_cycle_that_an_optional_input_closes_can_start():
    text = TEXT.replace("receiver: first.query}", "receiver: first.collection}")
    text = text.replace("collection: first.collection", "query: first.query")
    assert lines(text) == []


def test_a_cycle_that_a_value_from_outside_opens_can_start():
    joiner = "haystack.components.joiners.document_joiner.DocumentJoiner"
    text = TEXT.replace("connections:\n", f"  join: {{type: {joiner}}}\nconnections:\n").replace(
        "  - {sender: first.documents, receiver: words.documents}\n",
        "  - {sender: first.documents, receiver: join.documents}\n"
        "  - {sender: join.documents, receiver: words.documents}\n",
    )
    assert "join" in lines(text)[0]
    assert lines(text.replace("inputs:\n", "inputs:\n  documents_too: join.documents\n")) == []
    fed = text.replace("connections:\n", "  more: {type: graph_parts.Find}\nconnections:\n")
    fed = fed.replace("inputs:\n", "  - {sender: more.documents, receiver: join.documents}\ninputs:\n  q: more.query\n")
    assert lines(fed) == []  # a joiner runs with what it has
