"""`khub graph check`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from components.errors import GraphError
from server.commands.options import JsonOption
from server.commands.output import count, write_json, write_line

if TYPE_CHECKING:
    from server.graphs.problem import Problem


def graph_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="Names of graphs, or files.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every graph in the folder of graphs.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check graphs without running them: file, line, component, mistake and remedy of each; exit 1 if there is one.

    With --all a graph that only lacks an extra, or your word on where its key goes, is told, and is no mistake.
    """
    if bool(names) == every:
        raise typer.BadParameter("name graphs or files, or check them all by --all", param_hint="NAME")

    from server.graphs.folder import graph_folder
    from server.graphs.load import find_graph, list_graphs, shown_path

    found = {info.name: info.path for info in list_graphs()} if every else {n: find_graph(n) for n in names or []}
    if not found:
        raise GraphError(f"there are no graphs in {graph_folder()}", "name their folder by KHUB_PIPELINES")
    problems = {name: _problems(path) for name, path in found.items()}
    lacking = {name: lacks for name, all_of in problems.items() if every and (lacks := _lacks(all_of))}
    wrong = any(problems[name] for name in found if name not in lacking)
    if as_json:
        write_json({"ok": not wrong, "graphs": [_as_dict(n, p, problems[n]) for n, p in found.items()]})
    else:
        for name, path in found.items():
            shown = shown_path(path)
            for problem in problems[name]:
                write_line(str(problem.as_error(shown)))
            talks_to = "" if problems[name] and name not in lacking else _talks_to(path)
            write_line(f"{shown}: {_verdict(len(problems[name]), lacking.get(name, ''))}{talks_to}")
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


def _talks_to(path: Path) -> str:
    """Return the hosts that a graph names and the secrets that go there, as the end of a line."""
    import yaml

    from components.bounded_yaml import load_yaml
    from components.secret_hosts import named_hosts, secret_uses
    from server.graphs.load import written_out

    try:
        data = load_yaml(written_out(path))
    except (GraphError, yaml.YAMLError, ValueError, RecursionError):
        return ""  # told as a problem
    uses = secret_uses(data)
    plain = set(named_hosts(data)) - {host for _, host in uses}
    told = sorted([*plain, *(f"{host} ({variable})" for variable, host in uses)])
    return f"; talks to {', '.join(told)}" if told else ""


def _problems(path: Path) -> "list[Problem]":
    from server.graphs.examination import examine_graph
    from server.graphs.problem import Problem

    try:
        return examine_graph(path)
    except GraphError as error:  # one that cannot be read keeps no other from being checked
        return [Problem(None, None, error.message, error.remedy)]


def _as_dict(name: str, path: Path, problems: "list[Problem]") -> dict[str, Any]:
    from dataclasses import asdict

    return {"name": name, "path": path, "problems": [asdict(problem) for problem in problems]}
