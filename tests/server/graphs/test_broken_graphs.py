# ruff: noqa: E501 - the messages stand on one line each, as their reader sees them
"""Two graphs, each time broken by one small edit: every message names the line, the component and what to do."""

import re

import pytest

from khub.server.graphs.examination import examine_graph
from khub.server.graphs.load import list_graphs
from tests.server.hub_files import FIXED, first_changed

pytestmark = pytest.mark.unit

TEXTS = {name: (FIXED / f"{name}.yaml").read_text(encoding="utf-8") for name in ("query", "ingest")}

STORE = "haystack_integrations.components.retrievers.chroma.ChromaEmbeddingRetriever"
SOURCES = "{sender: check.sources, receiver: convert.sources}"
TO_SPARSE = "{sender: analyze.question, receiver: sparse.question}"
TO_JOIN = "{sender: dense.documents, receiver: join.documents}"
JOINED = "{sender: join.documents, receiver: rank.documents}"
WEIGHT = "sparse_weight: 0.4"
SIZE = "chunk_size: 1000"
TO_SPLIT = "{sender: ocr.documents, receiver: split.documents}"
EMBEDDER = """\
      embedder:
        type: khub.components.embedders.document_embedder.DocumentEmbedder
        init_parameters:
          model: khub-base
          fallback: khub-fast
"""

# In the messages «» stands for the number of the line that the edit changed, «a/b» for that of key b below key a.
YAML = [
    ("query", "top_k: 5\n", "top_k: [5\n", "g.yaml:«»: not YAML: while parsing a flow sequence expected ',' or ']', but got ':': check indentation, colons and quotes"),
    ("query", "      top_k: 5", "\t  top_k: 5", "g.yaml:«»: not YAML: while scanning for the next token found character '\\t' that cannot start any token: indent with spaces, not tabs"),
    ("ingest", "timeout_s: 60", "timeout_s: 60\n     languages: en", "g.yaml:«»: not YAML: while parsing a block mapping expected <block end>, but found '<block mapping start>': check indentation, colons and quotes"),
    ("ingest", "model: khub-base", "model: *base", "g.yaml:«»: not YAML: found undefined alias 'base': check indentation, colons and quotes"),
    ("ingest", SIZE, "chunk_size: !!python/object:os.system 800", "g.yaml:«»: not YAML: could not determine a constructor for the tag 'tag:yaml.org,2002:python/object:os.system': check indentation, colons and quotes"),
    ("ingest", SIZE, f"{SIZE}\n      chunk_size: 400", "g.yaml:«»: split: key 'chunk_size' stands twice, first on line «chunk_size»: delete one of the two"),
    ("query", "  rank:\n", "  join:\n", "g.yaml:«»: key 'join' stands twice, first on line «join»: delete one of the two"),
    ("query", "  filters: ", "  on: ", "g.yaml:«»: key 'on' is read as true by YAML: write it in quotes: \"on\""),
]  # fmt: skip

SECTIONS = [
    ("query", "\nconnections:", "\nconections:", "g.yaml:«»: unknown key 'conections' at the top: did you mean 'connections'?"),
    ("query", "\noutputs:", "\noutput:", "g.yaml:«»: unknown key 'output' at the top: did you mean 'outputs'?"),
    ("ingest", "\ncomponents:", "\ncomponets:", "g.yaml:«»: unknown key 'componets' at the top: did you mean 'components'?"),
    ("ingest", "\nconnections:", "\nnotes: none\nconnections:", "g.yaml:«»: unknown key 'notes' at the top: a graph has metadata, components, inputs, outputs, connections"),
    ("query", "kind: query", "kind: qurey", "g.yaml:«»: metadata.kind is 'qurey': did you mean 'query'?"),
    ("query", "  kind: query\n", "", "g.yaml:«metadata»: metadata has no 'kind': write kind: ingest or kind: query or kind: verify or kind: evaluate"),
    ("query", "\noutputs:\n  answer: answer.answer", "\noutputs:", "g.yaml:«outputs»: 'outputs' holds no entries: write outputs: {answer: component.socket}"),
    ("query", "\nconnections:", "\nmax_runs_per_component: many\nconnections:", "g.yaml:«»: 'max_runs_per_component' is the str 'many': write a whole number, 1 or more"),
    ("query", "\nconnections:", "\nconnection_type_validation: 1\nconnections:", "g.yaml:«»: 'connection_type_validation' is the int 1: write true or false"),
]  # fmt: skip

GUARDS = [
    ("query", "timeout_s: 5", "timeout_s: 0", "g.yaml:«guard»: metadata.guard is {'timeout_s': 0, 'stages': {'dense': 7}}: write guard: {timeout_s: 5}, with stages: {STAGE: SECONDS or null} for exceptions"),
    ("query", "timeout_s: 5", "timeout: 5", "g.yaml:«guard»: metadata.guard is {'timeout': 5, 'stages': {'dense': 7}}: write guard: {timeout_s: 5}, with stages: {STAGE: SECONDS or null} for exceptions"),
    ("query", "timeout_s: 5\n    stages: {dense: 7}", "5", "g.yaml:«guard»: metadata.guard is 5: write guard: {timeout_s: 5}, with stages: {STAGE: SECONDS or null} for exceptions"),
    ("query", "{dense: 7}", "[dense]", "g.yaml:«»: metadata.guard.stages is ['dense']: write guard: {timeout_s: 5}, with stages: {STAGE: SECONDS or null} for exceptions"),
    ("query", "{dense: 7}", "{dens: 7}", "g.yaml:«»: metadata.guard names the unknown stage 'dens': did you mean 'dense'?"),
    ("query", "{dense: 7}", "{dense: soon}", "g.yaml:«»: dense: metadata.guard gives it 'soon': give seconds above 0, or null"),
    ("query", "timeout_s: 5", "timeout_s: 5\n    max_hung: 0", "g.yaml:«»: metadata.guard has max_hung 0: give 1 or more"),
]  # fmt: skip

TYPES = [
    ("query", "khub.components.rankers.score_ranker", "khub.component.rankers.score_ranker", "g.yaml:«»: rank: module 'khub.component.rankers.score_ranker' is not allowed in graphs: did you mean 'khub.components.rankers.score_ranker'?"),
    ("query", "khub.components.rankers.score_ranker.ScoreRanker", "subprocess.Popen", "g.yaml:«»: rank: module 'subprocess' is not allowed in graphs: if you trust it: khub trust --module subprocess"),
    ("query", "rankers.score_ranker.ScoreRanker", "rankers.score_ranker.ScorRanker", "g.yaml:«»: rank: unknown class 'ScorRanker' in 'khub.components.rankers.score_ranker': did you mean 'ScoreRanker'?"),
    ("query", "haystack.components.joiners.document_joiner", "haystack.components.joiner.document_joiner", "g.yaml:«»: join: unknown module 'haystack.components.joiner': did you mean 'joiners'?"),
    ("query", "joiners.document_joiner.DocumentJoiner", "joiners.DocumentJoiner", "g.yaml:«»: join: 'haystack.components.joiners.DocumentJoiner' is not the class's own path: write 'haystack.components.joiners.document_joiner.DocumentJoiner'"),
    ("ingest", "type: khub.components.ingest.integrity_check.IntegrityCheck", "type: khub.components.stores.chroma_store.ChromaStore", "g.yaml:«»: check: 'khub.components.stores.chroma_store.ChromaStore' is not a component: name a class that is decorated with @component"),
    ("ingest", "    type: khub.components.ingest.integrity", "    typ: khub.components.ingest.integrity", "g.yaml:«»: check: unknown key 'typ': did you mean 'type'?"),
    ("ingest", "    init_parameters:\n      timeout_s: 60", "    timeout_s: 60", "g.yaml:«»: convert: unknown key 'timeout_s': a component takes 'type' and 'init_parameters'"),
    ("ingest", "    type: khub.components.ingest.integrity_check.IntegrityCheck\n    init_parameters: {}", "    khub.components.ingest.integrity_check.IntegrityCheck", "g.yaml:«check»: check: 'check' holds a value of type str, not a component: write type: and init_parameters: below it"),
]  # fmt: skip

PARAMETERS = [
    ("ingest", SIZE, "chunksize: 800", "g.yaml:«»: split: unknown parameter 'chunksize': did you mean 'chunk_size'?"),
    ("ingest", SIZE, "chunk_size: '800'", "g.yaml:«»: split: parameter 'chunk_size' takes int, not the str '800': write the value without quotes"),
    ("ingest", SIZE, "chunk_size: 100", "g.yaml:«»: split: overlap is 150 with chunk_size 100: set overlap between 0 and half of chunk_size."),
    ("ingest", "      timeout_s: 60", "    - timeout_s: 60", "g.yaml:«convert/init_parameters»: convert: 'init_parameters' is a list: write it as name: value lines"),
    ("ingest", "    init_parameters: {}", "    init_parameters:", "g.yaml:«»: check: 'init_parameters' holds nothing: write {} after it, or leave it out"),
    ("query", "model: khub-base", "model: no", "g.yaml:«»: dense: parameter 'model' of TextEmbedder takes str, not the bool False: put it in quotes if it is meant as text: YAML reads on, off, yes and no as true and false"),
    ("query", "top_k: 30\n      embedder", "top_k: 0\n      embedder", "g.yaml:«»: dense: DenseRetriever has top_k=0: give 1 or more"),
    ("query", "top_k: 30\n\n  join", "top_k: -5\n\n  join", "g.yaml:«»: sparse: SparseRetriever has top_k=-5: give 1 or more"),
    ("query", "top_k: 5\n", "top_k: 0\n", "g.yaml:«»: answer: AnswerBuilder has top_k=0: give 1 to 100"),
    ("query", WEIGHT, "sparse_weight: 8", "g.yaml:«»: rank: ScoreRanker has sparse_weight=8: give a number from 0 to 1"),
    ("query", "join_mode: reciprocal_rank_fusion", "join_mode: rrf", "g.yaml:«»: join: cannot be built: Unknown join mode 'rrf'. Supported modes in DocumentJoiner are: ['concatenate', 'merge', 'reciprocal_rank_fusion', 'distribution_based_rank_fusion']: correct its parameters"),
]  # fmt: skip

NESTED = [
    ("query", WEIGHT, "sparse_wait: 1", "g.yaml:«»: rank: unknown parameter 'sparse_wait': did you mean 'sparse_weight'?"),
    ("query", "top_k: 30\n      embedder", "top_k: all\n      embedder", "g.yaml:«»: dense: parameter 'top_k' takes int, not the str 'all': change the value"),
    ("query", "model: khub-base", "modl: khub-base", "g.yaml:«»: dense: unknown parameter 'modl' of TextEmbedder: did you mean 'model'?"),
    ("query", "model: khub-base", "model: khub-bsae", "g.yaml:«»: dense: there is no embedding model 'khub-bsae': did you mean 'khub-base'?"),
    ("ingest", "fallback: khub-fast", "fallback: no/such/folder", "g.yaml:«»: embed: there is no embedding model 'no/such/folder': name a shipped model (khub-base, khub-fast) or the path of a model folder; a collection that it made moves by khub reindex --collection NAME"),
    ("ingest", EMBEDDER, "      embedder: khub-base\n", "g.yaml:«»: embed: parameter 'embedder' takes Component, not the str 'khub-base': write type: and init_parameters: below it"),
    ("ingest", "        type: khub.components.embedders.document_embedder.DocumentEmbedder\n", "", "g.yaml:«embedder»: embed: parameter 'embedder' has no 'type': add type: full.path.of.the.Class below it"),
    ("ingest", "document_embedder.DocumentEmbedder", "document_embedder.DocumentEmbeder", "g.yaml:«»: embed: unknown class 'DocumentEmbeder' in 'khub.components.embedders.document_embedder': did you mean 'DocumentEmbedder'?"),
]  # fmt: skip

STORES = [
    ("ingest", "persist_path", "persistpath", "g.yaml:«»: write: unknown parameter 'persistpath' of ChromaStore: did you mean 'persist_path'?"),
    ("ingest", "function: cosine", "function: cosin", "g.yaml:«»: write: parameter 'distance_function' of ChromaStore takes Literal['l2', 'cosine', 'ip'], not the str 'cosin': change the value"),
    ("ingest", "{home}/dense/{collection}", "{home}/dense/{name}", "g.yaml:«»: write: store template: {name} is not known: use {collection} and {home}"),
    ("ingest", "{home}/dense/{collection}", "/data/{collection}", "g.yaml:«»: write: store template: persist_path '/data/{collection}' is not kept apart for each collection: write it like \"{home}/dense/{collection}\""),
    ("ingest", f"          retriever: {STORE}\n", "", "g.yaml:«template/init_parameters»: write: parameter 'retriever' of StoreTemplate is missing: add retriever: … under init_parameters"),
    ("ingest", STORE, STORE.replace("Embedding", "Embeding"), "g.yaml:«»: write: unknown class 'ChromaEmbedingRetriever' in 'haystack_integrations.components.retrievers.chroma': did you mean 'ChromaEmbeddingRetriever'?"),
    ("ingest", STORE, STORE.replace("ChromaE", "chromaE"), "g.yaml:«»: write: unknown class 'chromaEmbeddingRetriever' in 'haystack_integrations.components.retrievers.chroma': did you mean 'ChromaEmbeddingRetriever'?"),
    ("ingest", STORE, "ChromaEmbeddingRetriever", "g.yaml:«»: write: 'ChromaEmbeddingRetriever' is not the full path of a class: write it like haystack.components.joiners.document_joiner.DocumentJoiner"),
    ("ingest", "            type: khub.components.stores.chroma_store.ChromaStore\n", "", "g.yaml:«store»: write: no 'type' is given: add type: full.path.of.the.Class"),
    ("ingest", "chroma_store.ChromaStore", "chroma_stor.ChromaStore", "g.yaml:«»: write: unknown module 'khub.components.stores.chroma_stor': did you mean 'chroma_store'?"),
]  # fmt: skip

CONNECTIONS = [
    ("ingest", SOURCES, SOURCES.replace("sender: check", "sender: chek"), "g.yaml:«»: connection sender 'chek.sources': there is no component 'chek': did you mean 'check'?"),
    ("ingest", SOURCES, SOURCES.replace("convert.sources", "convert.source"), "g.yaml:«»: connection receiver 'convert.source': 'convert' has no 'source': did you mean 'sources'?"),
    ("query", JOINED, JOINED.replace("join.documents", "join.words"), "g.yaml:«»: connection sender 'join.words': 'join' has no 'words': it has documents"),
    ("ingest", SOURCES, SOURCES.replace("sender", "sener"), "g.yaml:«»: unknown key 'sener' in a connection: did you mean 'sender'?"),
    ("ingest", SOURCES, "{sender: check.sources}", "g.yaml:«»: a connection needs a sender and a receiver: write {sender: a.output, receiver: b.input}"),
    ("ingest", SOURCES, "check.sources -> convert.sources", "g.yaml:«»: a connection needs a sender and a receiver: write {sender: a.output, receiver: b.input}"),
    ("ingest", SOURCES, "{sender: check., receiver: convert.sources}", "g.yaml:«»: connection sender 'check.' names no socket: write check.socket with one of collection, failed, sources, unchanged"),
    ("query", TO_JOIN, TO_JOIN.replace("join.documents", "join.top_k"), "g.yaml:«»: 'dense.documents' gives list[Document], but 'join.top_k' takes int | None: it would fit join.documents"),
    ("ingest", SOURCES, "{sender: check, receiver: write}", "g.yaml:«»: 'check' -> 'write' can be meant in several ways: write component.socket on both sides"),
    ("query", TO_SPARSE, "{sender: analyze.question, receiver: analyze.question}", "g.yaml:«»: 'analyze.question' -> 'analyze.question' leads from 'analyze' to itself: connect it to another component"),
    ("query", TO_SPARSE, f"{TO_SPARSE}\n  - {{sender: rank.documents, receiver: route.query}}", "g.yaml:«»: 'rank.documents' gives list[Document], but 'route.query' takes str: connect sockets of one type"),
    ("ingest", "{sender: check.collection, receiver: write.collection}", "{sender: check.collection, receiver: write.collection}\n  - {sender: embed, receiver: write.collection}", "g.yaml:«»: no output of 'embed' fits an input of 'write.collection': connect sockets of one type"),
    ("query", f"  - {TO_SPARSE}\n", "", "g.yaml:«sparse»: sparse: nothing feeds 'sparse.question': connect it, or name it under inputs"),
    ("ingest", TO_SPLIT, "{sender: embed.documents, receiver: split.documents}", "g.yaml:«»: split: the cycle split -> describe -> embed -> split cannot start: each waits for the one before: take a connection out, or lead another value to one of them"),
]  # fmt: skip

ENDS = [
    ("query", "top_k: answer.top_k", "top_k: answer.topk", "g.yaml:«»: input 'top_k' -> 'answer.topk': 'answer' has no 'topk': did you mean 'top_k'?"),
    ("query", "legs: route.legs", "legs: [route.legs, rout.query]", "g.yaml:«»: input 'legs' -> 'rout.query': there is no component 'rout': did you mean 'route'?"),
    ("ingest", "meta: check.meta", "meta: check", "g.yaml:«»: input 'meta' -> 'check' names no socket: write check.socket with one of collection, meta, recipe, sources"),
    ("ingest", "meta: check.meta", "meta: []", "g.yaml:«»: input 'meta' names no socket: write component.socket, or a list of them"),
    ("ingest", "meta: check.meta", "meta: check.recipe", "g.yaml:«»: input 'meta' -> 'check.recipe', which input 'recipe' feeds already: let one input feed each socket"),
    ("query", "query: route.query", "query: [route.query, answer.question]", "g.yaml:«»: input 'query' -> 'answer.question', which a connection from 'analyze' feeds already: take the input or the connection away"),
    ("query", "answer: answer.answer", "answer: answer.anwser", "g.yaml:«»: output 'answer' -> 'answer.anwser': 'answer' has no 'anwser': did you mean 'answer'?"),
    ("query", "answer: answer.answer", "answer: [answer.answer]", "g.yaml:«»: output 'answer' names no socket: write component.socket"),
    ("query", "  answer: answer.answer", "  anwser: answer.answer", "g.yaml:«»: a graph of kind 'query' needs the output 'answer' (it has anwser): rename 'anwser'"),
    ("ingest", "  sources: check.sources", "  files: check.sources", "g.yaml:«inputs»: a graph of kind 'ingest' needs the input 'sources' (it has collection, files, meta, recipe): add sources: component.socket"),
]  # fmt: skip

BROKEN = [*YAML, *SECTIONS, *GUARDS, *TYPES, *PARAMETERS, *NESTED, *STORES, *CONNECTIONS, *ENDS]


def line_of(text, path):
    """Return the number of the line of a key, given with the keys that it stands below: `dense/init_parameters`."""
    place = 0
    for key in path.split("/"):
        place = re.compile(rf"^ *{key}:", re.MULTILINE).search(text, place).end()
    return text.count("\n", 0, place) + 1


def with_lines(said, text, edited):
    """Return a message with the numbers of its lines."""
    return re.sub("«(.*?)»", lambda m: str(line_of(text, m[1]) if m[1] else first_changed(text, edited)), said)


@pytest.fixture
def problems_of(tmp_path):
    """Return a function that gives the problems of a graph's text, as their reader sees them."""

    def find(text):
        file = tmp_path / "g.yaml"
        file.write_text(text, encoding="utf-8")
        return [str(problem.as_error("g.yaml")) for problem in examine_graph(file)]

    return find


@pytest.mark.parametrize(("graph", "old", "new", "said"), BROKEN, ids=[f"{b[0]}-{b[3][:60]}" for b in BROKEN])
def test_one_problem_is_told_with_line_component_and_remedy(problems_of, graph, old, new, said):
    text = TEXTS[graph]
    assert text.count(old) >= 1
    edited = text.replace(old, new, 1)
    problems = problems_of(edited)
    assert problems[0] == with_lines(said, text, edited)
    # its consequences are not told: the line to mend is the only one, but for a name that other lines use
    assert len(problems) == 1 or "'join' stands twice" in said, problems


@pytest.mark.parametrize("graph", TEXTS)
def test_unbroken_graphs_have_no_problem(problems_of, graph):
    assert problems_of(TEXTS[graph]) == []


def test_mistakes_in_several_places_are_all_told(problems_of):
    text, changed = TEXTS["query"], []
    for old, new in (
        ("\noutputs:", "\noutput:"),
        ("dense_retriever.DenseRetriever", "dense_retriever.DenseRetriver"),
        (WEIGHT, "sparse_weight: 8"),
        ("sparse.question", "sparse.questn"),
        ("answer.top_k", "answer.topk"),
    ):
        edited = text.replace(old, new, 1)
        changed.append(first_changed(text, edited))
        text = edited
    assert [line.split(": ")[0] for line in problems_of(text)] == [f"g.yaml:{n}" for n in sorted(changed)]


def test_nothing_is_imported_that_is_not_allowed(problems_of, tmp_path, monkeypatch):
    (tmp_path / "stranger.py").write_text("open('was_here', 'w').close()\nclass Part: pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for old in (
        "khub.components.embedders.text_embedder.TextEmbedder",
        "khub.components.rankers.score_ranker.ScoreRanker",
        STORE,
    ):
        assert "not allowed" in problems_of(TEXTS["query"].replace(old, "stranger.Part", 1))[0]
    assert not (tmp_path / "was_here").exists()


def test_neither_network_nor_stores_are_touched(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise AssertionError("a check opened a connection")

    monkeypatch.setattr("socket.socket.connect", refuse)
    problems = [problem for info in list_graphs() for problem in examine_graph(info.path)]
    assert [problem for problem in problems if not problem.is_missing_extra()] == []
    assert not (tmp_path / "home").exists()
