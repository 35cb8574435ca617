"""`khub graph check`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.components.errors import GraphError
from khub.server.commands.options import JsonOption
from khub.server.terminal import count, write_json, write_line

if TYPE_CHECKING:
    from khub.server.graphs.opened_parts import OpenedPart
    from khub.server.graphs.problem import Problem


def graph_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="Names of graphs, or files.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every graph in the folder of graphs.")] = False,
    opening: Annotated[
        bool, typer.Option("--open", help="Open stores and models, too: a trial index is made and deleted.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check graphs without running them: file, line, component, mistake and remedy of each; exit 1 if there is one.

    With --open, each store and model of a graph without mistakes is opened, as far as that costs nothing, and what
    cannot be opened is a mistake. Without, the line of a graph names the stores and models of other libraries.

    With --all a graph that only lacks an extra, or your word on where its key goes, is told, and is no mistake.
    """
    if bool(names) == every:
        raise typer.BadParameter("name graphs or files, or check them all by --all", param_hint="NAME")

    from khub.server.graphs.folder import graph_folder
    from khub.server.graphs.load import find_graph, list_graphs, shown_path

    found = {info.name: info.path for info in list_graphs()} if every else {n: find_graph(n) for n in names or []}
    if not found:
        raise GraphError(
            f"there are no graphs in {graph_folder()}", "name their folder by KHUB_PIPELINES", code="graph_unknown"
        )
    problems = {name: _problems(path) for name, path in found.items()}
    lacking = {name: lacks for name, all_of in problems.items() if every and (lacks := _lacks(all_of))}
    parts = {name: _parts(path) for name, path in found.items() if opening and not problems[name]}
    wrong = any(problems[name] for name in found if name not in lacking) or any(map(_failed, parts.values()))
    if as_json:
        graphs = [_as_dict(name, path, problems[name], parts.get(name)) for name, path in found.items()]
        write_json({"ok": not wrong, "graphs": graphs})
    else:
        for name, path in found.items():
            shown = shown_path(path)
            for problem in problems[name]:
                write_line(str(problem.as_error(shown)))
            opened = parts.get(name)
            for part in opened or ():
                reason = f": {part.said}" if part.said else ""
                remedy = f": {part.remedy}" if part.remedy else ""
                write_line(f"{shown}: {part.component}: {part.part} {part.state}{reason}{remedy}")
            told = "" if problems[name] and name not in lacking else _told(path, opened is None and name not in lacking)
            failed = len(problems[name]) + _failed(opened or [])
            write_line(f"{shown}: {_verdict(failed, lacking.get(name, ''))}{told}")
    if wrong:
        raise typer.Exit(1)


def _lacks(problems: "list[Problem]") -> str:
    """Return what graphs need that have no mistake themselves."""
    if problems and all(problem.is_missing_extra() for problem in problems):
        return "an extra"
    return "to be trusted" if problems and all(problem.is_missing_trust() for problem in problems) else ""


def _verdict(problems: int, lacks: str) -> str:
    if lacks:
        return f"needs {lacks}"
    return count(problems, "problem") if problems else "ok"


def _told(path: Path, unopened: bool) -> str:
    """Return what else there is to say of a graph, as the end of a line.

    These are the hosts that it names and the secrets that go there, and the stores and models that were not opened.
    """
    import yaml

    from khub.components.bounded_yaml import load_yaml
    from khub.components.secret_hosts import named_hosts, secret_uses
    from khub.server.graphs.load import written_out
    from khub.server.graphs.opened_parts import unopened_parts

    try:
        data = load_yaml(written_out(path))
    except (GraphError, yaml.YAMLError, ValueError, RecursionError):
        return ""  # told as a problem
    uses = secret_uses(data)
    plain = set(named_hosts(data)) - {host for _, host in uses}
    told = sorted([*plain, *(f"{host} ({variable})" for variable, host in uses)])
    talks_to = f"; talks to {', '.join(told)}" if told else ""
    left = unopened_parts(data) if unopened else []
    return f"{talks_to}; not opened: {', '.join(left)} (--open)" if left else talks_to


def _parts(path: Path) -> "list[OpenedPart]":
    from khub.server.graphs.opened_parts import open_parts

    return open_parts(path)


def _failed(parts: "list[OpenedPart]") -> int:
    return sum(bool(part.remedy) for part in parts)


def _problems(path: Path) -> "list[Problem]":
    from khub.server.graphs.examination import examine_graph
    from khub.server.graphs.problem import Problem

    try:
        return examine_graph(path)
    except GraphError as error:  # one that cannot be read keeps no other from being checked
        return [Problem(None, None, error.message, error.remedy, error.code)]


def _as_dict(name: str, path: Path, problems: "list[Problem]", parts: "list[OpenedPart] | None") -> dict[str, Any]:
    from dataclasses import asdict

    opened = {} if parts is None else {"parts": [asdict(part) for part in parts]}
    return {"name": name, "path": path, "problems": [asdict(problem) for problem in problems], **opened}
