"""`khub skills install`."""

from pathlib import Path
from typing import Annotated

import typer

from khub.server.terminal import write_line


def skills_install(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Option("--dir", metavar="DIR", file_okay=False, help="Folder in which the assistant looks for skills."),
    ] = Path(".claude/skills"),
) -> None:
    """Write the skills rag-test, rag-ingest, rag-query and rag-eval for coding assistants, or bring them up to date.

    Example: khub skills install --dir ~/.claude/skills
    """
    from khub.server.skills.install import install_skills

    for written in install_skills(folder.expanduser().absolute(), context.find_root().command):
        write_line(f"{'written' if written.changed else 'unchanged'}: {written.path}")
