"""Write docs/reference/ from the code: `python -m docs.generate`, which `make docs-reference` runs."""

import ast
import asyncio
import dataclasses
import inspect
import re
import sys
import textwrap
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import docstring_parser
import typer

from khub.components.own_names import EVALUATORS, OWN, is_own

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference"
LONG_NAME = re.compile(r"\b(?:\w+\.)+(?=[A-Z])")
HEAD = "<!-- Written by `make docs-reference` from the code: do not edit. -->\n\n# {}\n\n{}\n"

VARIABLES = (
    ("KHUB_HOME", "`./data`", "where everything is kept"),
    ("KHUB_PIPELINES", "`./pipelines` where it is trusted, else the hub's own", "folder of the graphs"),
    (
        "KHUB_TRACE",
        "`standard`",
        "what is recorded: `off`; `minimal`: times, counts; `standard`: also question, ids, ranks; `verbose`: texts",
    ),
    (
        "KHUB_TRACE_MASK",
        "",
        "`1`: no question, answer or prompt stands in a trace at any level, but its length; ids, scores, times stay",
    ),
    ("KHUB_LOG_LEVEL", "`INFO`", "level of `logs/app.jsonl`; with `DEBUG` a traceback is shown as well"),
    (
        "KHUB_ALLOWED_MODULES",
        "",
        "modules whose classes a graph may name, `mypackage,other.*`, beside those of `khub trust --module`",
    ),
    ("KHUB_SECRETS", "", "secrets that graphs of your own may send, `VARIABLE@HOST,…`; else see `khub trust`"),
    ("KHUB_ACCESS", "everything", "access levels that questions may find, separated by commas; empty refuses all"),
    ("KHUB_SERVER", "", "address of a service that commands go to in place of the hub here, as `khub --server`"),
    (
        "KHUB_TOKEN",
        "",
        "bearer token of every request to `khub mcp --http`, and of who reads from `khub serve`; `--server` sends it",
    ),
    (
        "KHUB_WRITE_TOKEN",
        "",
        "bearer token of who may ingest through `khub serve`; `--server` sends it to write, and no graph anywhere",
    ),
    (
        "KHUB_OIDC_ISSUER",
        "",
        "issuer of OpenID Connect, `https://login.example/realms/a`; `{home}/oidc.yaml` says what its groups open",
    ),
    ("KHUB_OIDC_CLIENT_ID", "", "what the hub is called there: tokens for others let nobody in"),
    ("KHUB_OIDC_CLIENT_SECRET", "none: a public client", "its secret there; no graph may send it anywhere"),
    ("KHUB_OIDC_CLAIM", "`groups`", "claim that names a person's groups, with dots inside of others"),
    ("KHUB_INGEST_ROOTS", "", "folders from which `khub serve` may ingest, separated as in `PATH`"),
    ("KHUB_ALLOW_ORIGIN", "", "web pages from elsewhere that may use `khub serve`, with spaces between them"),
    (
        "KHUB_UPLOAD_MB",
        "`200`",
        "largest file that `khub serve` takes, in megabytes; of a whole request ten times that",
    ),
    ("KHUB_DATABASE_URL", "", "a PostgreSQL for the catalog, `postgresql://…`; no graph may send it anywhere"),
    ("KHUB_FILES", "", "an object store for files of documents and pictures, `s3://bucket/prefix`"),
    (
        "KHUB_MODEL_TOKENS_PER_DAY",
        "no limit",
        "tokens of models in a day, for all processes together; a prompt beyond is not sent, a reply may overrun it",
    ),
    ("KHUB_MODEL_TOKENS_PER_RUN", "no limit", "the same for one question, one ingest, one evaluation"),
    ("KHUB_MODEL_REQUESTS_PER_MINUTE", "no limit", "how often one process may ask one model of one server in a minute"),
    ("KHUB_LLM_API_KEY", "", "key of the language model's server in the graphs of `pipelines/more`"),
    ("KHUB_JUDGE_API_KEY", "", "key of the language model that judges in `more/evaluate_judged`"),
    ("KHUB_GATE_JUDGE", "", "a graph with a judge: `make gate` then holds its metrics, too"),
    ("KHUB_FIGURES", "", "benchmarks only: the file to which the soak tests of the service append their figures"),
    ("KHUB_TEST_DATA", "", "tests only: a folder of further sample files"),
    ("KHUB_REQUIRE_DEPS", "", "tests only: `1` makes a missing program a failure, not a skip"),
    ("KHUB_CONFORMANCE_CACHE", "", "tests only: where the programs of the MCP conformance suite are kept"),
)
OF_EXTRAS = tuple(f"{OWN}stores.{name}_store." for name in ("milvus", "pgvector", "qdrant"))
"""Not in the reference, which is the same wherever it is made: docs/graphs/stores.md shows them."""


def commands() -> str:
    """Return the page on the commands of `khub`."""
    from khub.server.cli import app
    from khub.server.skills.command_help import command_help

    root = typer.main.get_command(app)
    with_added(root)
    pages = [command_help(root, words).replace(": , ", ": ") for words in _paths(root, ())]
    about = "`khub COMMAND --help` says the same. Results go to standard output, everything else to standard error."
    codes = (
        "\n**Exit codes**: 0 done (an abstaining answer too); 1 an error, a file that could not be ingested, or "
        "problems that `doctor` found; 2 a wrong command line; 130 stopped by Ctrl-C. With `--json` an error is one "
        "object, "
        '`{"error": {"type", "code", "message", "remedy"}}`.'
    )
    return "\n".join([HEAD.format("Commands", about + "\n" + codes), *(f"{page}\n" for page in pages)])


def with_added(root: Any) -> None:
    """Give the groups the commands that `pyproject.toml` declares, whichever version of the package is installed."""
    from khub.server.commands.added import _command

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for path, target in project["entry-points"]["khub.commands"].items():
        group_name, _, name = path.partition(".")
        group = root if group_name == "khub" else root.commands[group_name]
        group.commands[name] = _command(name, EntryPoint(path, target, "khub.commands"))


def _paths(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, child in sorted(getattr(command, "commands", {}).items()):
        if not getattr(child, "commands", None) or getattr(child, "invoke_without_command", False):
            yield (*words, name)
        yield from _paths(child, (*words, name))


def components() -> str:
    """Return the page on the classes that a graph may name."""
    from khub.server.graphs.catalogue import component_classes, part_classes
    from khub.server.graphs.parameters import named_parameters

    about = (
        "What a graph of the hub may name under `type:`, beside every component of Haystack and of its integrations.\n"
        "A stage that takes and gives a `question` can stand anywhere between `route` and the legs."
    )
    lines = [HEAD.format("Components", about)]
    own = {path: cls for path, cls in {**component_classes(), **part_classes()}.items() if _is_own(path)}
    folder = ""
    for path in sorted(own):
        cls, package = own[path], _folder(path)
        if package != folder:
            folder = package
            lines += [f"## {folder}", ""]
        lines += [f"### {cls.__name__}", "", f"`{path}`", "", _described(cls), ""]
        parameters, _ = named_parameters(cls)
        meanings = _meanings(cls)
        if parameters:
            lines += ["| parameter | default | meaning |", "| --- | --- | --- |"]
            for name, parameter in parameters.items():
                default = "must be given" if parameter.default is parameter.empty else f"`{parameter.default!r}`"
                lines.append(f"| `{name}` | {default} | {_cell(meanings.get(name, ''))} |")
            lines.append("")
        lines += [_sockets(cls), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def errors() -> str:
    """Return the page on the codes of errors."""
    about = (
        "Every error has a `code`, which never changes, beside a message for people. `khub … --json` has it in\n"
        "`error.code`, HTTP in the problem's `code`, an MCP tool at the end of its text, as `[code]`. Other codes of\n"
        "HTTP are the names of its statuses, such as `unauthorized`, and `route_unknown`, `json_invalid`,\n"
        "`request_invalid`, `unavailable`, `internal`. `khub graph check --json` gives each problem one of these codes."
    )
    lines = [HEAD.format("Errors", about), "| code | what is wrong |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| `{code}` | {meaning} |" for code, meaning in sorted(_codes()))]) + "\n"


def _codes() -> Iterator[tuple[str, str]]:
    """Yield code and meaning of each class of errors, and of what is told apart further."""
    from khub.components.errors import FINER_CODES

    yield from FINER_CODES.items()
    folders = (ROOT / "components", ROOT / "server", ROOT / "eval" / "evaluators")
    for file in sorted(file for folder in folders for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for line in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "code":
                    yield ast.literal_eval(line.value), (ast.get_docstring(node) or "").partition("\n")[0].rstrip(".")


def _folder(path: str) -> str:
    """Return what the classes of a folder stand under."""
    return "evaluators" if path.startswith(EVALUATORS) else path.removeprefix(OWN).split(".")[0]


def _is_own(path: str) -> bool:
    return is_own(path) and not path.startswith((f"{OWN}catalog.", *OF_EXTRAS))


def _described(cls: type) -> str:
    parsed = docstring_parser.parse(inspect.getdoc(cls) or "")
    return "\n\n".join(filter(None, (parsed.short_description, parsed.long_description))) or cls.__name__


def _meanings(cls: type) -> dict[str, str]:
    texts = (inspect.getdoc(cls), inspect.getdoc(cls.__init__))  # type: ignore[misc]
    return {p.arg_name: p.description or "" for text in texts for p in docstring_parser.parse(text or "").params}


def _sockets(cls: type) -> str:
    run = getattr(cls, "run", None)
    if run is None:
        return ""
    taken = [name for name in inspect.signature(run).parameters if name not in {"self", "kwargs"}]
    given = list(getattr(run, "_output_types_cache", {}))
    said = [f"takes {', '.join(f'`{name}`' for name in taken)}"] if taken else []
    said += [f"gives {', '.join(f'`{name}`' for name in given)}"] if given else []
    return f"It {'; '.join(said)}." if said else ""


def document_meta() -> str:
    """Return the page on the metadata of documents and passages."""
    from khub.components.catalog import document_meta as typed

    about = (
        "What stands in `document.meta` on its way through a graph. A field that does not apply is missing or null;\n"
        "metadata of your own (`--meta`, front matter, columns) stands beside these. In Python:\n"
        "`khub.components.catalog.document_meta.DocumentMeta`."
    )
    lines = [HEAD.format("Document metadata", about)]
    for section in (one for name, one in vars(typed).items() if name.endswith("Fields")):
        meanings, head = _meanings(section), ["| field | type | meaning |", "| --- | --- | --- |"]
        lines += [f"## {section.__name__.removesuffix('Fields')}", "", _described(section), "", *head]
        for name, annotation in section.__annotations__.items():
            lines.append(f"| `{name}` | `{_cell(_type(annotation))}` | {_cell(meanings[name])} |")
        lines.append("")
    return "\n".join(lines)


def environment() -> str:
    """Return the page on environment variables."""
    from khub.components import TELEMETRY_SWITCHES

    about = "Graphs say what happens; these say where. A graph may name further ones, for keys."
    rows = [f"| `{name}` | {default} | {meaning} |" for name, default, meaning in VARIABLES]
    switches = ", ".join(f"`{name}={value}`" for name, value in TELEMETRY_SWITCHES.items())
    return "\n".join(
        [
            HEAD.format("Environment variables", about),
            "| variable | default | meaning |",
            "| --- | --- | --- |",
            *rows,
            "",
            "The telemetry of the libraries is off, unless you have set these yourself:",
            f"{switches}.",
            "",
        ]
    )


def mcp() -> str:
    """Return the page on the MCP server's tools, prompts and resources."""
    from khub.server.mcp.options import ServerOptions
    from khub.server.mcp.server import build_server

    server = build_server(ServerOptions(allow_write=True))
    tools, prompts, resources = asyncio.run(_offered(server))
    about = (
        "What `khub mcp` offers. `ingest`, `remember`, `job_status` and `delete_document` are there only with\n"
        "`--allow-write`; `ingest` reads only below the folders of `--root`. How to use it: "
        "[the assistant](../guide/assistant.md).\n"
        "Arguments in bold must be given; null and an empty text count as not given."
    )
    lines = [HEAD.format("MCP", about), "## Tools", ""]
    for tool in tools:
        lines += [f"### {tool.name}", "", _plain(tool.description), ""]
        schema = tool.input_schema
        if schema.get("properties"):
            lines += ["| argument | meaning |", "| --- | --- |"]
            for name, about_it in schema["properties"].items():
                shown = f"**`{name}`**" if name in schema.get("required", ()) else f"`{name}`"
                lines.append(f"| {shown} | {_cell(about_it.get('description', ''))} |")
            lines.append("")
    lines += ["## Prompts", "", "| prompt | what it does | arguments |", "| --- | --- | --- |"]
    for prompt in prompts:
        taken = ", ".join(f"`{argument.name}`" for argument in prompt.arguments or ())
        lines.append(f"| `{prompt.name}` | {_cell(prompt.description)} | {taken} |")
    lines += ["", "## Resources", "", "| address | what it is |", "| --- | --- |"]
    lines += [f"| `{one.uri_template}` | {_cell(one.description)} |" for one in resources]
    return "\n".join(lines) + "\n"


async def _offered(server: Any) -> tuple[list, list, list]:
    return await server.list_tools(), await server.list_prompts(), await server.list_resource_templates()


def http() -> str:
    """Return the page on the routes of the service."""
    from khub.server.http.app import build_app
    from khub.server.http.openapi import routes_document
    from khub.server.http.service_options import ServiceOptions

    document = routes_document(build_app(ServiceOptions()))
    about = (
        "What `khub serve` answers, beside `POST /{graph}/run` for each graph, `POST /mcp` and `GET /openapi.json`,\n"
        "which is all of it for programs. How to use it: [serving by HTTP](../service/http.md).\n"
        "Fields in bold must be given."
    )
    lines, by_tag = [HEAD.format("HTTP", about)], defaultdict[str, list[str]](list)
    for path, operations in document["paths"].items():
        for method, one in operations.items():
            answers = ", ".join(status for status in one["responses"] if status < "400")
            cells = f"`{method.upper()} {path}`", _cell(one["description"]), _taken(one, document), answers
            by_tag[one["tags"][0]].append(f"| {' | '.join(cells)} |")
    for tag in sorted(by_tag):
        head = ["| route | what it does | takes | answers |", "| --- | --- | --- | --- |"]
        lines += [f"## {tag}", "", *head, *by_tag[tag], ""]
    return "\n".join(lines)


def _taken(operation: dict[str, Any], document: dict[str, Any]) -> str:
    """Return the fields of a request that are no part of its path."""
    fields = [(p["name"], p.get("required")) for p in operation.get("parameters", ()) if p["in"] != "path"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        named = [one["$ref"] for one in (schema, *schema.get("anyOf", ())) if "$ref" in one]
        schema = document["components"]["schemas"][named[0].rpartition("/")[2]] if named else schema
        fields += [(name, name in schema.get("required", ())) for name in schema["properties"]]
    told = [f"**`{name}`**" if required else f"`{name}`" for name, required in dict(fields).items()]
    return ", ".join(told)


def golden_set() -> str:
    """Return the page on the format of golden sets."""
    from khub.eval import cases

    about = (
        "Questions with known answers, one JSON object a line in a `.jsonl` file; those that come with the hub are in\n"
        "`eval/golden`."
    )
    rules = "\n\n".join(
        part
        for part in inspect.getdoc(cases.Case.from_dict).split("\n\n")[1:]  # type: ignore[union-attr]
        if not part.startswith(":")
    )
    lines = [HEAD.format("Golden sets", about), rules, ""]
    for title, cls in (("A case", cases.Case), ("A place in `relevant`", cases.Place)):
        meanings = _meanings(cls)
        lines += [f"## {title}", "", "| key | type | meaning |", "| --- | --- | --- |"]
        for field in dataclasses.fields(cls):
            lines.append(f"| `{field.name}` | `{_cell(_type(field.type))}` | {_cell(meanings.get(field.name, ''))} |")
        lines.append("")
    kinds, languages = (", ".join(f"`{one}`" for one in values) for values in (cases.KINDS, cases.LANGUAGES))
    first = (ROOT / "eval/golden/samples.jsonl").read_text(encoding="utf-8").splitlines()[0]
    lines += [f"Kinds: {kinds}. Languages: {languages}.", "", "A line of `samples.jsonl`:", "", "```json", first, "```"]
    return "\n".join(lines) + "\n"


def providers() -> str:
    """Return the page on providers."""
    from docs.providers import table

    about = (
        "What the pages on [language models](../graphs/models.md), [models that see](../graphs/vision.md),\n"
        "[embedders](../graphs/embedders.md) and [rankers](../graphs/rankers.md) swap, and what a test runs each diff\n"
        "against: never the real service."
    )
    return "\n".join([HEAD.format("Providers", about), *table(), ""])


def python() -> str:
    """Return the page on the Python interface."""
    from khub.components import answer, verification
    from khub.components.failed_file import FailedFile
    from khub.server.hub import Hub
    from khub.server.library.ingest_result import IngestResult, Progress
    from khub.server.reads.listed_document import ListedDocument

    about = (
        "`from khub import Hub`, and what its methods return; [In a Python program](../guide/python.md) shows them at "
        "work."
    )
    made = ", ".join(_parameter(p) for p in inspect.signature(Hub).parameters.values())
    lines = [HEAD.format("Python", about), "## Hub", "", f"`Hub({made})`", "", _described(Hub), ""]
    lines += [f"- `{name}`: {_plain(about)}" for name, about in _meanings(Hub).items()] + [""]
    for name, method in vars(Hub).items():
        if callable(method) and not name.startswith("_") and not name.endswith("_async"):
            lines += _method(name, method)
    of_modules = [_values(module) for module in (answer, verification)]
    for kind in (*of_modules[0], *of_modules[1], ListedDocument, IngestResult, FailedFile, Progress):
        lines += _fields(kind)
    return "\n".join(lines).rstrip("\n") + "\n"


def _values(module: Any) -> list[type]:
    """Return the dataclasses that a module defines, the one that comes back first."""
    found = [one for one in vars(module).values() if dataclasses.is_dataclass(one) and isinstance(one, type)]
    return [one for one in reversed(found) if one.__module__ == module.__name__]


def _method(name: str, method: Any) -> list[str]:
    parsed, signature = docstring_parser.parse(inspect.getdoc(method) or ""), inspect.signature(method)
    kept = [p for p in signature.parameters.values() if p.name != "self"]
    meanings = {param.arg_name: param.description for param in parsed.params}
    taken = [f"- `{p.name}`: {_plain(meanings[p.name])}" for p in kept if p.name in meanings]
    raises = [f"- Raises `{one.type_name}` {_plain(one.description)}" for one in parsed.raises]
    shown = f"{name}({', '.join(map(_parameter, kept))}) -> {_type(signature.return_annotation)}"
    texts = [_plain(text) for text in (parsed.short_description, parsed.long_description) if text]
    parts = [f"### {name}", f"`{shown}`", *texts, "\n".join([*taken, *raises])]
    return [line for part in parts if part for line in (part, "")]


def _parameter(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{star}{parameter.name}: {_type(parameter.annotation)}{default}"


def _fields(kind: type) -> list[str]:
    """Return the section on a value: its fields, their types and what they mean."""
    meanings = {**_meanings(kind), **_below(kind)}
    typed = inspect.get_annotations(kind)
    lines = [f"## {kind.__name__}", "", _plain((inspect.getdoc(kind) or "").partition("\n:")[0]), ""]
    lines += ["| field | type | meaning |", "| --- | --- | --- |"]
    return [*lines, *(f"| `{n}` | `{_cell(_type(t))}` | {_cell(meanings.get(n, ''))} |" for n, t in typed.items()), ""]


def _below(kind: type) -> dict[str, str]:
    """Return the texts that stand below fields."""
    body: Any = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    pairs = zip(body.body, body.body[1:], strict=False)
    return {
        field.target.id: text.value.value
        for field, text in pairs
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def _type(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation.strip("\"'")
    plain = isinstance(annotation, type) and not getattr(annotation, "__args__", None)
    return annotation.__name__ if plain else LONG_NAME.sub("", str(annotation))


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str | None) -> str:
    return _plain(text).replace("|", "\\|")


PAGES = {
    "commands.md": commands,
    "components.md": components,
    "errors.md": errors,
    "document-meta.md": document_meta,
    "environment.md": environment,
    "http.md": http,
    "mcp.md": mcp,
    "python.md": python,
    "golden-set.md": golden_set,
    "providers.md": providers,
}


def main() -> None:
    """Write the pages, and remove those that are no longer made."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.md"):
        if file.name not in PAGES:
            file.unlink()
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
