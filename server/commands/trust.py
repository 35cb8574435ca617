"""`khub trust`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import KhubError
from khub.components.text.hidden_characters import on_one_line
from khub.server.terminal import tell, write_line


def trust(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder whose graphs may be used.", show_default=False)
    ] = None,
    secret: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="VARIABLE HOST", help="Let graphs send this variable to this host.", show_default=False),
    ] = None,
    code: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Let the code that comes with this model run.", show_default=False),
    ] = None,
    module: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Let graphs name the classes of this package.", show_default=False),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take it back.")] = False,
) -> None:
    """Allow a folder's graphs, a secret for a host, a package's or a model's code; without any, list what is allowed.

    Graphs decide which models and addresses your questions and documents go to, and which code runs.

    Example: khub trust ~/notes/pipelines
    """
    from khub.components.trust import (
        allowed_code,
        allowed_pairs,
        decide_code,
        decide_folder,
        decide_module,
        decide_secret,
        trusted_folders,
        trusted_modules,
    )

    if folder is not None:
        graphs = _graphs_in(folder, remove)
        decide_folder(graphs, None if remove else True)
        tell(f"{graphs} is {'no longer ' if remove else ''}trusted")
    if secret is not None:
        decide_secret(*secret, allowed=not remove)
        tell(f"{secret[0]} may {'no longer ' if remove else ''}go to {secret[1]}")
    if code is not None:
        decide_code(code, allowed=not remove)
        tell(f"the code of {code} may {'no longer ' if remove else ''}run")
    if module is not None:
        decide_module(module, trusted=not remove)
        tell(f"graphs may {'no longer ' if remove else ''}name the classes of {module}")
    if folder is None and secret is None and code is None and module is None:
        for path, answer in sorted(trusted_folders().items()):
            write_line(f"{'trusted' if answer else 'refused'}: {path}")
        for variable, host in sorted(allowed_pairs()):
            write_line(f"secret: {variable} to {host}")
        for model in sorted(allowed_code()):
            write_line(f"code: {model}")
        for name in sorted(trusted_modules()):
            write_line(f"module: {name}")


def ask_about_folder() -> None:
    """Ask once, on a terminal, whether the graphs of the working folder may be used."""
    from khub.components.trust import decide_folder, trusted_folders
    from khub.server.graphs.folder import working_folder

    here = working_folder()
    if here is None or str(here) in trusted_folders() or not _on_terminal():
        return
    tell(f"{here} holds graphs; they decide which models and addresses questions and documents go to")
    decide_folder(here, typer.confirm("Use them?", err=True))


def ask_about_secret(error: Exception) -> bool:
    """Ask, on a terminal, whether a secret may go where a graph sends it; say whether it may now."""
    from khub.components.secret_pairs import SecretError
    from khub.components.trust import decide_secret

    if not isinstance(error, SecretError) or not error.pairs or not _on_terminal():
        return False
    tell(error.message)
    for variable, host in error.pairs:
        if not typer.confirm(on_one_line(f"Let {variable} go to {host}?"), err=True):
            return False
        decide_secret(variable, host, allowed=True)
    return True


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _graphs_in(folder: Path, remove: bool) -> Path:
    from khub.components.trust import trusted_folders
    from khub.server.graphs.folder import graph_files

    path = folder.expanduser().absolute()
    inside = path / "pipelines"
    if graph_files(inside) or (remove and str(path) not in trusted_folders()):
        return inside
    if remove or graph_files(path):
        return path
    raise KhubError(
        f"there are no graphs in {str(folder)!r}",
        "name a folder of files that declare metadata.kind",
        code="graph_unknown",
    )
