"""The official MCP Inspector, as a command line, against `khub mcp` over standard input and output.

    python -m tests.conformance.inspector [--home DIR]

Every tool, resource, template and prompt that the server lists is used once, on the samples of `make demo`; one that is
not in the tables below is a failure, too. Exit status 0: all of them work, or the Inspector cannot be had here (said on
standard error); 1: one does not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.conformance.node_tools import NoNpmError, node_command

ROOT = Path(__file__).parents[2]
PACKAGE, VERSION = "@modelcontextprotocol/inspector", "2.12.0"
SCRIPT = "clients/launcher/build/index.js"
SAMPLES = ROOT / "eval" / "samples"
QUESTION = "P6 员工去上海出差，住宿标准是每晚多少？"
TIMEOUT_S = 300
UNKNOWN_JOB = "0" * 32

Facts = dict[str, Any]
TOOLS: dict[str, Callable[[Facts], dict[str, Any]]] = {
    "query_knowledge_hub": lambda _: {"query": QUESTION, "top_k": 2, "collection": "demo", "detail": "full"},
    "list_collections": lambda _: {},
    "get_document_summary": lambda facts: {"doc_id": facts["doc_id"]},
    "search_by_keyword": lambda _: {"query": "E-4012"},
    "search_by_semantic": lambda _: {"query": "how are two rankings fused"},
    "search_images": lambda _: {"query": "diagram of the pipeline"},
    "list_document_sections": lambda facts: {"doc_id": facts["doc_id"], "depth": 2},
    "read_section": lambda facts: {"doc_id": facts["doc_id"], "chunk_id": facts["chunk_id"], "neighbours": 1},
    "get_page_image": lambda facts: {
        "doc_id": facts["doc_id"],
        "page": facts["page"],
        "highlight": facts["chunk_id"],
    },
    "verify_answer": lambda _: {"answer": "P6 employees may spend 700 yuan a night in Shanghai.", "collection": "demo"},
    "list_documents": lambda _: {"collection": "demo"},
    "list_graphs": lambda _: {},
    "ingest": lambda facts: {"paths": [str(facts["root"])], "collection": "inspected"},
    "job_status": lambda facts: {"job_id": facts["job_id"]},
    "delete_document": lambda facts: {"doc_id": facts["doc_id"]},
}
TEMPLATES: dict[str, Callable[[Facts], dict[str, Any]]] = {
    "khub://{collection}/documents": lambda _: {"collection": "demo"},
    "khub://doc/{id}": lambda facts: {"id": facts["doc_id"]},
    "khub://doc/{id}/section/{path}": lambda facts: {"id": facts["doc_id"], "path": facts["section"]},
    "khub://doc/{id}/page/{n}": lambda facts: {"id": facts["doc_id"], "n": facts["page"]},
    "khub://doc/{id}/image/{image}": lambda facts: {"id": facts["image_doc_id"], "image": facts["image_id"]},
    "khub://image/{id}": lambda facts: {"id": facts["image_id"]},
    "khub://chunk/{id}": lambda facts: {"id": facts["chunk_id"]},
}
LAST = ("job_status", "delete_document")


class Inspector:
    """Runs the Inspector, a process for each request.

    :param command: how it is started.
    :param home: the hub's folder.
    :param root: a folder out of which the server may ingest.
    """

    def __init__(self, command: Sequence[str], home: Path, root: Path) -> None:
        server = [sys.executable, "-P", "-m", "server.cli", "mcp", "--allow-write", "--root", str(root)]
        variables = {"KHUB_HOME": home, "KHUB_PIPELINES": ROOT / "pipelines"}
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        self._command = [*command, "--cli", *given, "--connect-timeout", "120000", "--format", "json", *server]

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """Make a request and return its result.

        :raises RuntimeError: if the Inspector fails.
        """
        done = subprocess.run(
            [*self._command, "--method", method, *options],
            cwd=tempfile.gettempdir(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
        return dict(json.loads(done.stdout)["result"])

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; return what it gives as structured content.

        :raises RuntimeError: if it fails, or has no text.
        """
        result = self.ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        if result.get("isError") or not result["content"][0].get("text"):
            raise RuntimeError(f"no answer: {result}")
        return dict(result["structuredContent"])


def main() -> int:
    """Use all that the server has.

    :returns: the exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a hub with the samples in 'demo'; a new one by default")
    options = parser.parse_args()
    try:
        command = node_command(PACKAGE, VERSION, SCRIPT)
    except NoNpmError as reason:
        sys.stderr.write(f"MCP Inspector: skipped: {reason}\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="khub-inspector-") as folder:
        home = options.home.absolute() if options.home else _filled(Path(folder) / "hub")
        root = Path(folder) / "files"
        root.mkdir()
        (root / "note.md").write_text("# Note\n\nThe Inspector was here.\n", encoding="utf-8")
        failures = _inspect(Inspector(command, home, root), root)
    _say(f"{len(failures)} failed" if failures else "all of them work")
    return 1 if failures else 0


def _filled(home: Path) -> Path:
    environment = {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines")}
    command = [sys.executable, "-m", "server.cli", "ingest", str(SAMPLES), "--collection", "demo"]
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return home


def _inspect(inspector: Inspector, root: Path) -> list[str]:
    failures: list[str] = []
    facts = {**_facts(inspector), "root": root}

    def use(what: str, act: Callable[[], Any]) -> Any:
        try:
            result = act()
        except Exception as error:
            failures.append(what)
            _say(f"{what}: FAILS: {type(error).__name__} {error}")
            return None
        _say(f"{what}: works")
        return result

    tools = [tool["name"] for tool in inspector.ask("tools/list")["tools"]]
    failures += _differences("tool", tools, TOOLS)
    for name in sorted((name for name in tools if name in TOOLS), key=lambda name: name in LAST):
        result = use(f"tool {name}", lambda name=name: inspector.call(name, TOOLS[name](facts)))
        if name == "ingest":
            facts["job_id"] = (result or {}).get("job_id", UNKNOWN_JOB)
        if name == "read_section":
            _use_resources(inspector, facts, use, failures)
            _use_prompts(inspector, facts, use)
    return failures


def _use_resources(inspector: Inspector, facts: Facts, use: Callable[..., Any], failures: list[str]) -> None:
    listed = inspector.ask("resources/list")["resources"]
    if not listed:
        failures.append("resources/list is empty")
    for resource in listed[:3]:
        use(f"resource {resource['uri']}", lambda uri=resource["uri"]: _read(inspector, uri))
    templates = [item["uriTemplate"] for item in inspector.ask("resources/templates/list")["resourceTemplates"]]
    failures += _differences("template", templates, TEMPLATES)
    for template in sorted(set(templates) & set(TEMPLATES)):
        values = {name: quote(str(value), safe="") for name, value in TEMPLATES[template](facts).items()}
        uri = template.format_map(values)
        use(f"template {template}", lambda uri=uri: _read(inspector, uri))


def _use_prompts(inspector: Inspector, facts: Facts, use: Callable[..., Any]) -> None:
    for prompt in inspector.ask("prompts/list")["prompts"]:
        needed = [argument["name"] for argument in prompt.get("arguments", []) if argument.get("required")]
        pairs = [part for name in needed for part in ("--prompt-args", f"{name}={facts['doc_id']}")]
        options = ["--prompt-name", prompt["name"], *pairs]
        use(f"prompt {prompt['name']}", lambda options=options: inspector.ask("prompts/get", *options)["messages"][0])


def _facts(inspector: Inspector) -> Facts:
    """Return ids of things that are there."""
    cited = inspector.call("query_knowledge_hub", {"query": QUESTION, "collection": "demo"})["citations"][0]
    image = inspector.call("search_images", {"query": "diagram figure", "collection": "demo"})["images"][0]
    keys = ("doc_id", "chunk_id", "section", "page")
    return {**{key: cited[key] for key in keys}, "image_id": image["image_id"], "image_doc_id": image["doc_id"]}


def _read(inspector: Inspector, uri: str) -> Any:
    contents = inspector.ask("resources/read", "--uri", uri)["contents"]
    if not contents or not (contents[0].get("text") or contents[0].get("blob")):
        raise RuntimeError(f"nothing in {uri}")
    return contents


def _differences(kind: str, listed: Sequence[str], known: dict[str, Any]) -> list[str]:
    missing = [f"{kind} {name}: is not listed" for name in known if name not in listed]
    new = [f"{kind} {name}: has no call in this file" for name in listed if name not in known]
    for line in (*missing, *new):
        _say(line)
    return [*missing, *new]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
