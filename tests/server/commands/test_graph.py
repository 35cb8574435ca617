"""`khub graph`: list, show, check, diff and schema."""

import io
import json

import pytest

from khub.server.graphs.folder import graph_files
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration


def graph_name(file, pipelines):
    return file.relative_to(pipelines).with_suffix("").as_posix()


def test_list_in_a_pipe_is_a_table(khub, pipelines):
    result = khub("graph", "list")
    assert result.exit_code == 0
    head, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert head == ["name", "kind", "needs", "returns", "file", "description"]
    assert [row[0] for row in rows] == sorted(graph_name(file, pipelines) for file in graph_files(pipelines))
    by_name = {row[0]: row for row in rows}
    assert by_name["evaluate"][1:4] == ["evaluate", "cases*, answers*", "scores, failed"]
    assert by_name["query"][1:5] == [
        "query",
        "query*, collection, filters, legs, top_k",
        "answer",
        "pipelines/query.yaml",
    ]
    assert by_name["query"][5].startswith("Hybrid search")


def test_list_on_a_terminal_is_a_paragraph_each(khub, pipelines, monkeypatch):
    from khub.server.commands import graph_list

    edit(pipelines / "query.yaml", "top_k: 5", "topk: 5")
    monkeypatch.setenv("COLUMNS", "60")
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdout", terminal)
    graph_list.graph_list()
    written = [line.rstrip() for line in terminal.getvalue().splitlines()]
    assert "ingest (ingest)" in written
    assert "  needs sources*, collection, recipe, meta; returns report," in written
    start = written.index("query (query)")
    assert written[start + 1 : start + 3] == ["  cannot be used, see: khub graph check query", "  pipelines/query.yaml"]
    assert max(map(len, written)) <= 60


def test_list_tells_which_graphs_cannot_be_used(khub, khub_json, pipelines):
    line = edit(pipelines / "query.yaml", "top_k: 5", "topk: 5")
    rows = {row["name"]: row for row in khub_json("graph", "list")["graphs"]}
    assert rows["ingest"]["required"] == ["sources"]
    assert rows["ingest"]["outputs"] == ["report", "unchanged", "remaining"]
    assert f"query.yaml:{line}: answer: unknown parameter 'topk'" in rows["query"]["error"]
    assert "khub graph check query" in khub("graph", "list").stdout


def test_list_of_an_empty_folder(khub, tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "empty"))
    result = khub("graph", "list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert str(tmp_path / "empty") in result.stderr


def test_show_as_mermaid_and_as_json(khub, khub_json, fixed_graphs):
    assert khub("graph", "show", fixed_graphs / "query.yaml").stdout.startswith("flowchart TD\n")
    shown = khub_json("graph", "show", "query")
    assert shown["required"] == ["query"]
    assert shown["links"][0] == {"sender": "route", "output": "question", "receiver": "analyze", "input": "question"}


def test_show_of_a_broken_graph_names_its_first_mistake(khub, pipelines):
    line = edit(pipelines / "query.yaml", "\nconnections:", "\nconections:")
    result = khub("graph", "show", "query")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"khub: pipelines/query.yaml:{line}: ")
    assert "'connections'?" in result.stderr


def test_check_of_right_graphs(khub, khub_json, pipelines):
    result = khub("graph", "check", "--all")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.partition(";")[0] for line in result.stdout.splitlines()] == [
        f"pipelines/{name}.yaml: ok" for name in sorted(graph_name(file, pipelines) for file in graph_files(pipelines))
    ]
    assert khub_json("graph", "check", "query", pipelines / "ingest.yaml")["ok"]


def test_check_of_all_tells_a_missing_extra_and_goes_on(khub, khub_json, pipelines):
    there, missing = (
        "khub.components.rankers.score_ranker.ScoreRanker",
        "haystack_integrations.components.rankers.qdrant.X",
    )
    text = (pipelines / "query.yaml").read_text(encoding="utf-8")
    (pipelines / "more" / "query_x.yaml").write_text(text.replace(there, missing), encoding="utf-8")
    lines = khub("graph", "check", "--all").stdout.splitlines()
    (said,) = [line for line in lines if line.startswith("pipelines/more/query_x.yaml:") and "rank:" in line]
    assert said.endswith(': pip install -e ".[qdrant]" -c constraints.txt')
    assert "pipelines/more/query_x.yaml: needs an extra" in lines
    assert khub_json("graph", "check", "--all")["ok"]
    assert khub("graph", "check", "more/query_x").exit_code == 1  # which is what was asked for
    edit(pipelines / "more" / "query_x.yaml", "top_k: 5", "topk: 5")
    assert khub("graph", "check", "--all").exit_code == 1


def test_check_tells_every_problem_of_every_graph(khub, khub_json, pipelines):
    at_top_k = edit(pipelines / "query.yaml", "top_k: 5", "topk: 5")
    at_stage = edit(pipelines / "query.yaml", "join_mode: ", "join_mod: ")
    at_search = edit(pipelines / "more" / "ask.yaml", "  search:  ", "  search: ")
    at_join = f"pipelines/query.yaml:{at_stage}: join: unknown parameter 'join_mod': did you mean 'join_mode'?"
    (pipelines / "ingest.yaml").write_bytes(b"metadata:\n  kind: ingest\n# \xff\xfe")
    result = khub("graph", "check", "--all")
    assert result.exit_code == 1
    right = {f"pipelines/{graph_name(file, pipelines)}.yaml: ok" for file in graph_files(pipelines)}
    lines = [line.partition("; talks to ")[0] for line in result.stdout.splitlines()]
    of_ingest = {f"pipelines/{name}.yaml" for name in ("ingest_rows", "more/ingest_dedup", "more/ingest_llm")}
    assert len(right & set(lines)) == len(right) - 7
    assert {f"{file}: 1 problem" for file in of_ingest} <= set(lines)
    containing = (*of_ingest, "pipelines/more/query_llm.yaml")
    assert [line for line in lines if line not in right and not line.startswith(containing)][1:] == [
        "pipelines/ingest.yaml: 1 problem",
        f"pipelines/more/ask.yaml:{at_search}: search: {at_join}",
        "pipelines/more/ask.yaml: 1 problem",
        at_join,
        next(line for line in lines if line.startswith(f"pipelines/query.yaml:{at_top_k}: answer: ")),
        "pipelines/query.yaml: 2 problems",
    ]
    found = khub_json("graph", "check", "query", code=1)
    assert not found["ok"]
    assert found["graphs"][0]["problems"][1] == {
        "line": at_top_k,
        "component": "answer",
        "message": "unknown parameter 'topk'",
        "remedy": "did you mean 'top_k'?",
        "code": "graph_parameter_unknown",
    }


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "--all"),
        (["query", "--all"], 2, "--all"),
        (["qeury"], 1, "unknown graph 'qeury'"),
        (["gone.yaml"], 1, "graph file 'gone.yaml' does not exist"),
    ],
)
def test_check_needs_to_know_what(khub, pipelines, arguments, code, said):
    result = khub("graph", "check", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in result.stderr


def test_check_of_an_empty_folder(khub, tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "empty"))
    result = khub("graph", "check", "--all")
    assert result.exit_code == 1
    assert str(tmp_path / "empty") in result.stderr


def test_diff(khub, khub_json, fixed_graphs):
    text = (fixed_graphs / "query.yaml").read_text(encoding="utf-8")
    faster = text.replace("model: khub-base", "model: khub-fast").replace("          fallback: khub-fast\n", "")
    (fixed_graphs / "query_faster.yaml").write_text(faster, encoding="utf-8")
    result = khub("graph", "diff", "query", "query_faster")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "~ parameter dense.embedder.model: khub-base -> khub-fast",
        "~ parameter dense.embedder.fallback: khub-fast -> null",
    ]
    lines = khub("graph", "diff", "query", "ingest").stdout.splitlines()
    assert "- component join: haystack.components.joiners.document_joiner.DocumentJoiner" in lines
    assert "+ connection split.documents -> describe.documents" in lines
    assert '~ input collection: ["route.collection"] -> ["check.collection"]' in (lines)
    found = khub_json("graph", "diff", "query", "query_faster")
    assert not found["same"]
    assert found["differences"][0] == {
        "sign": "~",
        "what": "parameter",
        "name": "dense.embedder.model",
        "old": "khub-base",
        "new": "khub-fast",
    }


def test_diff_of_equal_graphs(khub, khub_json, pipelines):
    (pipelines / "copy.yaml").write_text("# copy\n" + (pipelines / "query.yaml").read_text(encoding="utf-8"), "utf-8")
    result = khub("graph", "diff", "query", "copy")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "khub: the graphs mean the same\n")
    assert khub_json("graph", "diff", "query", "copy") == {"same": True, "differences": []}


def test_schema_goes_to_a_file_or_to_standard_output(khub, tmp_path):
    written = khub("graph", "schema", "--out", "graph schema.json")
    assert (written.exit_code, written.stdout) == (0, "")
    uri = (tmp_path / "graph schema.json").as_uri()
    assert written.stderr.splitlines() == [
        f"khub: VS Code with the YAML extension: first line of a graph: # yaml-language-server: $schema={uri}",
        f'khub: or for all graphs in .vscode/settings.json: "yaml.schemas": {{"{uri}": "pipelines/**/*.yaml"}}',
    ]
    schema = json.loads((tmp_path / "graph schema.json").read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(khub("graph", "schema").stdout) == schema


def test_schema_that_cannot_be_written(khub, tmp_path):
    result = khub("graph", "schema", "--out", "no/such/folder.json")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_check_opens_stores_and_models_when_it_is_told_to(khub, khub_json, pipelines, monkeypatch):
    from khub.components.stores.chroma_store import ChromaStore

    result = khub("graph", "check", "ingest_fast", "--open")
    assert (result.exit_code, result.stdout.splitlines()[-2:]) == (
        0,
        [
            "pipelines/ingest_fast.yaml: write: ChromaStore opened: takes 384 dimensions",
            "pipelines/ingest_fast.yaml: ok",
        ],
    )

    def down(_):
        raise ConnectionError("refused")

    monkeypatch.setattr(ChromaStore, "count_documents", down)
    assert khub("graph", "check", "ingest_fast").exit_code == 0
    result = khub("graph", "check", "ingest_fast", "--open", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert not told["ok"]
    assert [part["state"] for part in told["graphs"][0]["parts"]] == ["opened", "opened", "could not be opened"]
    assert khub("graph", "check", "ingest_fast", "--open").stdout.splitlines()[-1].endswith("fast.yaml: 1 problem")


def test_check_names_what_it_did_not_open(khub, pipelines):
    (line,) = khub("graph", "check", "more/ask").stdout.splitlines()
    assert line.endswith("; not opened: OpenAIChatGenerator (--open)")
