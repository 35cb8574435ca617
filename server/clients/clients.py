"""The MCP clients that the hub can enter itself into: where each keeps its servers, and in which form."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from khub.server.clients.config_file import ClientConfigError


class ClientName(StrEnum):
    """The clients, as they are named on the command line."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    VSCODE = "vscode"
    CURSOR = "cursor"
    CODEX = "codex"
    CONTINUE = "continue"


@dataclass(frozen=True)
class Client:
    """What is particular to a client.

    :param file: its file below a project's folder; None if it has none there. `{name}` is the server's name.
    :param user_file: returns the path of its file for all of a user's projects; None if it is to be named by project.
    :param form: how the file is written.
    :param section: the field that holds the servers.
    :param fields: fields of an entry beside command, args and env; an entry's own values win.
    """

    file: str | None
    user_file: Callable[[], Path] | None
    form: Literal["json", "toml", "yaml"]
    section: str
    fields: dict[str, Any] = field(default_factory=dict)

    def path(self, client: ClientName, name: str, folder: Path | None) -> Path:
        """Return the file that is to hold the entry.

        :param name: the server's name, which is the file's where a file holds one server.
        :param folder: a project's folder; None: the user's own file where the client has one, else the current folder.
        :raises ClientConfigError: if the client knows no files of projects.
        """
        if folder is None and self.user_file is not None:
            return self.user_file()
        if self.file is None:
            raise ClientConfigError(f"{client} has one file for all projects", "leave --dir out")
        return (folder or Path()).expanduser().absolute() / self.file.format(name=name)


def _claude_desktop() -> Path:
    home = Path.home()
    folders = {
        "darwin": home / "Library" / "Application Support",
        "win32": Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming"),
    }
    other = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return folders.get(sys.platform, other) / "Claude" / "claude_desktop_config.json"


def _codex() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


def _cursor() -> Path:
    return Path.home() / ".cursor" / "mcp.json"


CLIENTS = {
    ClientName.CLAUDE_DESKTOP: Client(None, _claude_desktop, "json", "mcpServers"),
    ClientName.CLAUDE_CODE: Client(".mcp.json", None, "json", "mcpServers", {"type": "stdio"}),
    ClientName.VSCODE: Client(".vscode/mcp.json", None, "json", "servers", {"type": "stdio"}),
    ClientName.CURSOR: Client(".cursor/mcp.json", _cursor, "json", "mcpServers", {"type": "stdio"}),
    # its own limit is 10 s, which a first start from a cold disk can take
    ClientName.CODEX: Client(".codex/config.toml", _codex, "toml", "mcp_servers", {"startup_timeout_sec": 30}),
    ClientName.CONTINUE: Client(".continue/mcpServers/{name}.yaml", None, "yaml", "mcpServers", {"type": "stdio"}),
}
