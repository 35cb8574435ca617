# ruff: noqa: E501 - one case stands on one line
"""Every kind of mistake in a graph file, with its line, its code and what it names."""

import importlib.util

import pytest

from khub.components.trust import decide_code
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.problem import Problem

pytestmark = pytest.mark.unit


def lines(text: str) -> list[str]:
    return [str(p.as_error("q.yaml")) for p in check_graph_text(text, "q.yaml")]


def found(text: str) -> list[tuple[int | None, str | None, str, str]]:
    """Return line, component, code and the last word of the remedy of each problem."""
    problems = check_graph_text(text, "q.yaml")
    return [(p.line, p.component, p.code, p.remedy.rpartition(" ")[2]) for p in problems]


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name.rpartition(".")[0]) is not None
    except ImportError:
        return False


def change(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def nested(parameters: str) -> str:
    return f"""\
metadata: {{kind: query}}
components:
  dense:
    type: graph_parts.UsesTemplate
    init_parameters:
      template:
        type: graph_parts.Template
        init_parameters:
{parameters}
inputs: {{query: dense.query}}
outputs: {{documents: dense.documents}}
"""


STORE = "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore"
RETRIEVER = "haystack.components.retrievers.in_memory.InMemoryBM25Retriever"


def test_right_graph_has_no_problem(query_text):
    assert lines(query_text) == []


def test_problem_is_data(query_text):
    assert check_graph_text(change(query_text, "top_k: 2", "topk: 2"), "q.yaml") == [
        Problem(6, "find", "unknown parameter 'topk'", "did you mean 'top_k'?", "graph_parameter_unknown")
    ]


TOP_LEVEL = [
    ("top_k: 2", "top_k: [2", "q.yaml:6", "graph_invalid", "not YAML", "','", "']'"),
    ("metadata: {kind: query, description: finds and answers}", "max_runs_per_component: 5", "q.yaml", "graph_invalid", "'metadata'"),
    ("\ninputs:", "\ninput:", "q.yaml:12", "graph_invalid", "'input'", "'inputs'?"),
    ("\noutputs:", "\nstreaming_components:", "q.yaml", "graph_invalid", "'outputs'"),
    ("\ncomponents:", "\nparts:", "q.yaml", "graph_invalid", "'components'"),
    ("kind: query, ", "", "q.yaml:1", "graph_invalid", "'kind'"),
    ("kind: query", "kind: search", "q.yaml:1", "graph_invalid", "'search'"),
    ("\noutputs:", "\noutputs: {}\nx:", "q.yaml:16", "graph_invalid", "'outputs'"),
    ("connections:\n  - {sender: find.documents, receiver: answer.documents}", "connections: {a: b}", "q.yaml:10", "graph_connection_invalid", "'connections'"),
    ("  limit:", "  on:", "q.yaml:15", "graph_invalid", "'on'"),
    ("top_k: 2", "top_k: 2\n      no: 1", "q.yaml:7: find", "graph_invalid", "'no'"),
    ("top_k: 2", "top_k: 2\n      top_k: 3", "q.yaml:7: find", "graph_invalid", "'top_k'"),
]  # fmt: skip

COMPONENTS = [
    ("graph_parts.Find", "Find", "q.yaml:4: find", "graph_class_unknown", "'Find'"),
    ("graph_parts.Find", "graph_parts.Fimd", "q.yaml:4: find", "graph_class_unknown", "'Fimd'", "'graph_parts'", "'Find'?"),
    ("graph_parts.Find", "khub.components.home.Zzz", "q.yaml:4: find", "graph_class_unknown", "'Zzz'", "'khub.components.home'"),
    ("graph_parts.Find", "khub.components.hme.Find", "q.yaml:4: find", "graph_class_unknown", "'khub.components.hme'", "'home'?"),
    ("graph_parts.Find", "haystack.components.joiners.DocumentJoiner", "q.yaml:4: find", "graph_class_unknown", "'haystack.components.joiners.DocumentJoiner'", "'haystack.components.joiners.document_joiner.DocumentJoiner'"),
    ("graph_parts.Find", "subprocess.Popen", "q.yaml:4: find", "graph_module_not_allowed", "'subprocess'"),
    ("graph_parts.Find", "graph_parts.Store", "q.yaml:4: find", "graph_class_unknown", "'graph_parts.Store'"),
    ("    type: graph_parts.Find\n", "", "q.yaml:3: find", "graph_invalid", "'type'"),
    ("    init_parameters:\n      top_k: 2", "    init_params: {top_k: 2}", "q.yaml:5: find", "graph_invalid", "'init_params'", "'init_parameters'?"),
    ("    init_parameters:\n      top_k: 2", "    init_parameters: [2]", "q.yaml:5: find", "graph_parameter_invalid", "'init_parameters'"),
    ("  find:\n", "  fi.nd:\n", "q.yaml:3: fi.nd", "graph_invalid", "dot"),
    ("top_k: 2", "colour: 2", "q.yaml:6: find", "graph_parameter_unknown", "'colour'"),
    ("{prefix: found}", "{tags: [a]}", "q.yaml:9: answer", "graph_parameter_invalid", "'prefix'"),
    ("top_k: 2", "top_k: '2'", "q.yaml:6: find", "graph_parameter_invalid", "'top_k'", "str '2'"),
    ("top_k: 2", "top_k: many", "q.yaml:6: find", "graph_parameter_invalid", "'top_k'", "str 'many'"),
    ("top_k: 2", "top_k: null", "q.yaml:6: find", "graph_parameter_invalid", "'top_k'", "null"),
    ("top_k: 2", "top_k: 2.5", "q.yaml:6: find", "graph_parameter_invalid", "'top_k'", "float 2.5"),
    ("top_k: 2", "mode: c", "q.yaml:6: find", "graph_parameter_invalid", "'mode'", "'a'", "'b'", "str 'c'"),
    ("prefix: found", "prefix: yes", "q.yaml:9: answer", "graph_parameter_invalid", "'prefix'", "bool True"),
    ("prefix: found", "prefix: a, tags: [1]", "q.yaml:9: answer", "graph_parameter_invalid", "'tags'", "list[str]"),
    ("graph_parts.Find\n    init_parameters:\n      top_k: 2", "graph_parts.BadConstructor", "q.yaml:3: find", "graph_parameter_invalid", "size 0"),
    ("graph_parts.Answer\n    init_parameters: {prefix: found}", "graph_parts.Wrap\n    init_parameters: {component: 5}", "q.yaml:9: answer", "graph_parameter_invalid", "'component'", "int 5"),
    ("graph_parts.Answer\n    init_parameters: {prefix: found}", "graph_parts.Wrap\n    init_parameters: {component: {type: graph_parts.Find, init_parameters: {topk: 1}}}", "q.yaml:9: answer", "graph_parameter_unknown", "'topk'", "'top_k'?"),
    ("graph_parts.Answer\n    init_parameters: {prefix: found}", "khub.components.guard.Guard\n    init_parameters: {stage: a, timeout_s: -1, component: {type: graph_parts.Find}}", "q.yaml:9: answer", "graph_parameter_invalid", "'a'", "timeout_s=-1"),
    ("graph_parts.Answer\n    init_parameters: {prefix: found}", "haystack.components.generators.chat.openai.OpenAIChatGenerator\n    init_parameters: {api_key: abc}", "q.yaml:9: answer", "graph_parameter_invalid", "'api_key'", "secret"),
]  # fmt: skip

CONNECTIONS = [
    ("sender: find.documents", "sender: fnid.documents", "q.yaml:11", "graph_connection_invalid", "'fnid.documents'", "'fnid'", "'find'?"),
    ("receiver: answer.documents", "receiver: zzz.documents", "q.yaml:11", "graph_connection_invalid", "'zzz.documents'", "'zzz'"),
    ("sender: find.documents", "sender: find.document", "q.yaml:11", "graph_connection_invalid", "'find.document'", "'find'", "'document'", "'documents'?"),
    ("receiver: answer.documents", "receiver: answer.zzz", "q.yaml:11", "graph_connection_invalid", "'answer.zzz'", "'answer'", "'zzz'"),
    (", receiver: answer.documents", "", "q.yaml:11", "graph_connection_invalid", "receiver"),
    ("receiver: answer.documents", "receiver: answer.query", "q.yaml:11", "graph_connection_invalid", "'find.documents'", "list[Document]", "'answer.query'", "str"),
    ("[find.query, answer.query]", "find.qery", "q.yaml:13", "graph_connection_invalid", "'query'", "'find.qery'", "'find'", "'qery'"),
    ("[find.query, answer.query]", "[find.query, anser.query]", "q.yaml:13", "graph_connection_invalid", "'query'", "'anser.query'", "'anser'", "'answer'?"),
    ("[find.query, answer.query]", "find", "q.yaml:13", "graph_connection_invalid", "'query'", "'find'"),
    ("[find.query, answer.query]", "{a: b}", "q.yaml:13", "graph_connection_invalid", "'query'"),
    ("limit: find.limit", "limit: find.query", "q.yaml:15", "graph_connection_invalid", "'limit'", "'find.query'", "'query'"),
    ("answer: answer.answer", "answer: answer.anwser", "q.yaml:17", "graph_connection_invalid", "'answer'", "'answer.anwser'", "'anwser'", "'answer'?"),
    ("answer: answer.answer", "answer: [answer.answer]", "q.yaml:17", "graph_connection_invalid", "'answer'"),
    ("[find.query, answer.query]", "answer.query", "q.yaml:3: find", "graph_connection_invalid", "'find.query'"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", [*TOP_LEVEL, *COMPONENTS, *CONNECTIONS], ids=lambda mistake: mistake[1])
def test_mistake_is_one_line(query_text, mistake):
    old, new, place, code, *named = mistake
    problem = check_graph_text(change(query_text, old, new), "q.yaml")[0]
    line = str(problem.as_error("q.yaml"))
    assert line.startswith(f"{place}: ")
    assert (problem.code, [name for name in named if name not in line], "\n" in line) == (code, [], False)


@pytest.mark.parametrize(
    ("text", "line"), [("", "q.yaml: 'q.yaml' holds nothing: "), ("- a", "q.yaml: 'q.yaml' holds a list: ")]
)
def test_file_without_a_mapping(text, line):
    assert [one.startswith(line) for one in lines(text)] == [True]


@pytest.mark.parametrize(
    ("module", "code", "remedy"),
    [
        (
            "haystack_integrations.components.embedders.ollama.text_embedder.OllamaTextEmbedder",
            "library_missing",
            'pip install -e ".[ollama]" -c constraints.txt',
        ),
        (
            "milvus_haystack.document_store.MilvusDocumentStore",
            "library_missing",
            'pip install -e ".[milvus]" -c constraints.txt',
        ),
        ("wants_more.Part", "library_missing", "pip install no_such_package"),
        ("breaks.Part", "graph_class_unknown", "ValueError: out of order"),
    ],
)
def test_module_that_cannot_be_imported(query_text, module, code, remedy, tmp_path, monkeypatch):
    (tmp_path / "wants_more.py").write_text("import no_such_package.x", encoding="utf-8")
    (tmp_path / "breaks.py").write_text("raise ValueError('out of order')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "graph_parts, wants_more,breaks.*")
    if module.startswith(("haystack_integrations", "milvus")) and _is_installed(module):
        pytest.skip("the extra is installed here")
    problem = check_graph_text(change(query_text, "graph_parts.Find", module), "q.yaml")[0]
    assert (problem.line, problem.component, problem.code, problem.remedy) == (4, "find", code, remedy)
    assert f"'{module.rpartition('.')[0]}'" in problem.message


def test_store_template_is_checked_inside(query_text):
    good = f"          store: {{type: {STORE}, init_parameters: {{index: x}}}}\n          retriever: {RETRIEVER}"
    assert lines(nested(good)) == []
    assert found(nested(good.replace("index", "indx"))) == [(9, "dense", "graph_parameter_unknown", "'index'?")]
    assert found(nested(good.replace(f"{STORE},", f"{STORE}s,")))[0][:3] == (9, "dense", "graph_class_unknown")
    assert found(nested(good.replace(RETRIEVER, f"{RETRIEVER}s"))) == [
        (10, "dense", "graph_class_unknown", "'InMemoryBM25Retriever'?")
    ]
    assert found(nested("          retriever: a.B"))[0][:3] == (8, "dense", "graph_parameter_invalid")


def test_keys_that_a_class_hands_on_are_held_to_its_names_in_known_packages_only():
    chroma = "haystack_integrations.document_stores.chroma.document_store.ChromaDocumentStore"
    own = (
        "          store: {type: graph_parts.Store, init_parameters: {path: a, anything: 1}}\n          retriever: a.B"
    )
    assert lines(nested(own)) == []
    assert found(nested(own.replace("graph_parts.Store", chroma).replace("path: a, anything", "persistpath"))) == [
        (9, "dense", "graph_parameter_unknown", "'persist_path'?")
    ]


def test_values_that_haystack_reads_from_another_form_are_right(query_text):
    text = change(query_text, "top_k: 2", "weight: 2")  # int for float
    assert lines(text) == []
    joiner = "haystack.components.joiners.document_joiner.DocumentJoiner"
    text = f"""\
metadata: {{kind: query}}
components:
  joiner: {{type: {joiner}, init_parameters: {{join_mode: reciprocal_rank_fusion, weights: null, top_k: 3}}}}
  llm:
    type: haystack.components.generators.chat.openai.OpenAIChatGenerator
    init_parameters: {{api_key: {{type: env_var, env_vars: [X], strict: false}}, generation_kwargs: {{a: 1}}}}
inputs: {{a: joiner.documents, b: llm.messages}}
outputs: {{documents: joiner.documents}}
"""
    found = lines(text)
    assert all("llm: cannot be built" in line for line in found)  # the key is not set here


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("&a [*a]", "q.yaml: a value contains itself: take the alias"),
        ("a: 2024-13-45", "q.yaml: not YAML: month must be in 1..12: "),
        ("a: \x00", "q.yaml: not YAML: unacceptable character #x0000"),
        ("{[a]: b}", "q.yaml:1: not YAML: while constructing a mapping found unhashable key"),
    ],
)
def test_odd_yaml_is_a_problem_too(text, line):
    assert lines(text)[0].startswith(line)


def test_value_that_contains_itself(query_text):
    text = change(query_text, "{prefix: found}", "&a {prefix: found, tags: [*a]}")
    assert lines(text)


def test_all_problems_come_in_the_order_of_their_lines(query_text):
    text = change(change(query_text, "prefix: found", "prefx: found"), "top_k: 2", "topk: 2")
    text = change(text, "sender: find.documents", "sender: fnd.documents")
    assert [p.line for p in check_graph_text(text, "q.yaml")] == [6, 9, 11]
    connections = "connections:\n  - {sender: fnd.documents, receiver: answer.documents}\n"
    text = connections + change(text, connections, "")
    assert [p.line for p in check_graph_text(text, "q.yaml")] == [2, 8, 11]


@pytest.mark.parametrize("switch", ["trust_remote_code: true", "model_kwargs: {trust_remote_code: true}"])
def test_the_code_of_a_model_is_one_line_until_it_is_allowed(query_text, switch):
    text = change(query_text, "top_k: 2", f"top_k: 2\n      model: some/model\n      {switch}")
    (told,) = [line for line in lines(text) if "run the code" in line]
    assert told.startswith("q.yaml:8: find: ")
    assert "'some/model'" in told
    assert "khub trust --code 'some/model'" in told
    decide_code("some/model", allowed=True)
    assert not [line for line in lines(text) if "run the code" in line]
