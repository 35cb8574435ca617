"""The official MCP Inspector, as a command line, against `khub mcp` over standard input and output.

    python -m tests.conformance.inspector [--home DIR]

Every tool, template and prompt that the server lists is used, and the first resources, on the samples of `make demo`,
once in each era of the protocol; a tool or template that is not in the tables below is a failure, too. One server
serves all requests of an era, as it does for an assistant: the Inspector's `mcpdo` keeps the connection. Exit status 0:
all of them work, or the Inspector cannot be had here (said on standard error); 1: one does not.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from tests.conformance.node_tools import NoNpmError, node_command

ROOT = Path(__file__).parents[2]
PACKAGE, VERSION = "@modelcontextprotocol/inspector", "2.12.0"
SCRIPT, CONNECTED_SCRIPT = "clients/launcher/build/index.js", "clients/mcpdo/build/mcp-bin.js"
ERAS = ("legacy", "modern")
SAMPLES = ROOT / "eval" / "samples"
QUESTION = "P6 员工去上海出差，住宿标准是每晚多少？"
TIMEOUT_S = 300
JOB_S = 120

Facts = dict[str, Any]
TOOLS: dict[str, Callable[[Facts], dict[str, Any]]] = {
    "query_knowledge_hub": lambda _: {"query": QUESTION, "top_k": 2, "collection": "demo", "detail": "full"},
    "list_collections": lambda _: {},
    "get_document_summary": lambda facts: {"doc_id": facts["doc_id"]},
    "search_images": lambda _: {"query": "diagram figure", "collection": "demo"},
    "describe": lambda facts: {"doc_id": facts["doc_id"], "depth": 2},
    "read_section": lambda facts: {"doc_id": facts["doc_id"], "chunk_id": facts["chunk_id"], "neighbours": 1},
    "get_page_image": lambda facts: {
        "doc_id": facts["doc_id"],
        "page": facts["page"],
        "highlight": facts["chunk_id"],
    },
    "verify_answer": lambda _: {"answer": "P6 employees may spend 700 yuan a night in Shanghai.", "collection": "demo"},
    "search": lambda _: {"query": QUESTION},
    "fetch": lambda facts: {"id": facts["doc_id"]},
    "ingest": lambda facts: {"paths": [str(facts["root"])], "collection": "inspected"},
    "remember": lambda _: {"title": "Inspected", "text": "A note of the inspector.", "collection": "inspected"},
    "job_status": lambda facts: {"job_id": facts["job_id"]},
    "delete_document": lambda facts: {"doc_id": facts["ingested_doc_id"]},
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
FIRST = ("query_knowledge_hub", "search_images", "ingest", "job_status")
"""These tell what the others are asked about."""


class Inspector:
    """The Inspector with one server, for all requests; `with` ends both.

    :param scripts: how the Inspector's plain and its connected command lines are started.
    :param home: the hub's folder.
    :param root: a folder out of which the server may ingest.
    :param folder: where the Inspector keeps what it needs; a short path, since a socket is in it.
    """

    def __init__(self, scripts: tuple[Sequence[str], Sequence[str]], home: Path, root: Path, folder: Path) -> None:
        variables = {"KHUB_HOME": home, "KHUB_PIPELINES": ROOT / "pipelines"}
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        server = [sys.executable, "-P", "-m", "khub.server.cli", "mcp", "--allow-write", "--root", str(root)]
        self._plain, self._connected = scripts
        self._target = (["--connect-timeout", "120000", *given], server)
        folder.mkdir(mode=0o700, exist_ok=True)
        self._environment = {
            **os.environ,
            "MCP_INSPECTOR_DAEMON_DIR": str(folder),
            "MCP_INSPECTOR_DAEMON_TOKEN": secrets.token_hex(32),
            "MCP_CATALOG_PATH": str(folder / "mcp.json"),
            "MCP_STORAGE_DIR": str(folder / "storage"),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run([*self._connected, "daemon", "stop"])

    def connect(self, era: str) -> None:
        """Start the server and connect to it, in place of the one before.

        :param era: of the protocol: `legacy` or `modern`.
        :raises RuntimeError: if it fails, or another era is spoken.
        """
        self._run([*self._connected, "disconnect", "hub"])
        options, server = self._target
        named = ["connect", "--connection", "hub", "--transport", "stdio", "--era", era]
        done = self._done([*self._connected, "--format", "json", *named, *options, "--", *server])
        if done["protocolEra"] != era:
            raise RuntimeError(f"connected in another era: {done}")

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """Make a request and return its result.

        :raises RuntimeError: if the Inspector fails.
        """
        return self._done([*self._connected, "--format", "json", "--connection", "hub", method, *options])

    def check_schemas(self) -> None:
        """Let the plain command line look for what other clients could not do with the tools' schemas.

        :raises RuntimeError: if there is anything.
        """
        options, server = self._target
        method = ["--format", "json", *server, "--method", "tools/list", "--strict"]
        self._done([*self._plain, "--cli", *options, *method])

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; return what it gives as structured content.

        :raises RuntimeError: if it fails, or has no text.
        """
        result = self.ask("tools/call", tool, json.dumps(arguments))
        if result.get("isError") or not result["content"][0].get("text"):
            raise RuntimeError(f"no answer: {result}")
        return dict(result["structuredContent"])

    def _done(self, command: Sequence[str]) -> dict[str, Any]:
        done = self._run(command)
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
        return dict(json.loads(done.stdout))

    def _run(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=tempfile.gettempdir(),
            env=self._environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )


def main() -> int:
    """Use all that the server has.

    :returns: the exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a hub with the samples in 'demo'; a new one by default")
    options = parser.parse_args()
    try:
        scripts = (node_command(PACKAGE, VERSION, SCRIPT), node_command(PACKAGE, VERSION, CONNECTED_SCRIPT))
    except NoNpmError as reason:
        sys.stderr.write(f"MCP Inspector: skipped: {reason}\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="khub-inspector-") as folder:
        home = options.home.absolute() if options.home else _filled(Path(folder) / "hub")
        root = Path(folder) / "files"
        root.mkdir()
        (root / "note.md").write_text("# Note\n\nThe Inspector was here.\n", encoding="utf-8")
        with Inspector(scripts, home, root, Path(folder) / "i") as inspector:
            failures = _inspect(inspector, root)
    _say(f"{len(failures)} failed" if failures else "all of them work")
    return 1 if failures else 0


def _filled(home: Path) -> Path:
    environment = {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines")}
    command = [sys.executable, "-m", "khub.server.cli", "ingest", str(SAMPLES), "--collection", "demo"]
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return home


def _inspect(inspector: Inspector, root: Path) -> list[str]:
    failures: list[str] = []

    def use(what: str, act: Callable[[], Any]) -> Any:
        try:
            result = act()
        except Exception as error:
            failures.append(what)
            _say(f"{what}: FAILS: {type(error).__name__} {error}")
            return None
        _say(f"{what}: works")
        return result

    use("schemas of the tools", inspector.check_schemas)
    for era in ERAS:
        _say(f"{era}:")
        inspector.connect(era)
        facts: Facts = {"root": root}
        _use_tools(inspector, facts, use, failures)
        _use_resources(inspector, facts, use, failures)
        _use_prompts(inspector, facts, use)
    return failures


def _use_tools(inspector: Inspector, facts: Facts, use: Callable[..., Any], failures: list[str]) -> None:
    tools = [tool["name"] for tool in inspector.ask("tools/list")["tools"]]
    failures += _differences("tool", tools, TOOLS)
    known = [name for name in tools if name in TOOLS]
    for name in [*(name for name in FIRST if name in known), *(name for name in known if name not in FIRST)]:
        use(f"tool {name}", lambda name=name: facts.update(_learnt(inspector, name, facts)))


def _learnt(inspector: Inspector, tool: str, facts: Facts) -> Facts:
    """Call a tool; return ids out of its result, for other calls."""
    result = inspector.call(tool, TOOLS[tool](facts))
    if tool == "query_knowledge_hub":
        return {key: result["citations"][0][key] for key in ("doc_id", "chunk_id", "section", "page")}
    if tool == "search_images":
        return {"image_id": result["images"][0]["image_id"], "image_doc_id": result["images"][0]["doc_id"]}
    if tool == "ingest":
        return {"job_id": result["job_id"]}
    if tool == "job_status":
        deadline = time.monotonic() + JOB_S
        while result["state"] in ("queued", "running") and time.monotonic() < deadline:
            time.sleep(0.5)
            result = inspector.call(tool, {"job_id": result["job_id"]})
        listed = inspector.call("describe", {"collection": result["collection"]})["documents"]
        return {"ingested_doc_id": listed[0]["doc_id"]}
    return {}


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
        options = [prompt["name"], *pairs]
        use(f"prompt {prompt['name']}", lambda options=options: inspector.ask("prompts/get", *options)["messages"][0])


def _read(inspector: Inspector, uri: str) -> Any:
    contents = inspector.ask("resources/read", uri)["contents"]
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
