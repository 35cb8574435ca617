"""How a client starts the hub's MCP server: the same interpreter, data and graphs as the command that is running."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.home import hub_home
from khub.components.trust import trusted_modules

CARRIED = ("KHUB_ACCESS", "KHUB_ALLOWED_MODULES")


@dataclass(frozen=True)
class Launch:
    """A command for a client to run.

    :param command: absolute path of the program.
    :param args: its arguments.
    :param env: environment variables that it needs beside those that it gets anyway.
    """

    command: str
    args: list[str]
    env: dict[str, str]

    def entry(self, old: Any) -> dict[str, Any]:
        """Return what a client's configuration says of it, as a mapping.

        :param old: the entry that is there now, if any: its other fields, and its other variables, are kept.
        """
        kept = dict(old) if isinstance(old, dict) else {}
        variables = kept.get("env")
        kept_variables = dict(variables) if isinstance(variables, dict) else {}
        return {**kept, "command": self.command, "args": self.args, "env": {**kept_variables, **self.env}}


def server_launch(allow_write: bool = False, roots: Sequence[Path] = ()) -> Launch:
    """Return the command that serves this hub, as restricted and as extended as the command that is running.

    :param allow_write: also offer the tools that write.
    :param roots: the folders out of which files may be ingested.
    """
    from khub.server.graphs.folder import graph_folder

    # -P: a client starts it in a folder of its own choice, whose modules must not come before the hub's
    args = ["-P", "-m", "khub.server.cli", "mcp"]
    args += ["--allow-write"] if allow_write else []
    for root in roots:
        args += ["--root", str(root.expanduser().absolute())]
    folders = {"KHUB_HOME": str(hub_home()), "KHUB_PIPELINES": str(graph_folder())}
    carried = {name: os.environ[name] for name in CARRIED if name in os.environ}
    return Launch(command=sys.executable, args=args, env=folders | carried | _own_modules())


def _own_modules() -> dict[str, str]:
    """Return where the graphs' further modules are found, from whatever folder the client starts the hub in."""
    paths = os.environ.get("PYTHONPATH", "")
    if not paths or not ("KHUB_ALLOWED_MODULES" in os.environ or trusted_modules()):
        return {}
    return {"PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in paths.split(os.pathsep))}
