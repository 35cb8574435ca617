"""Enter the hub's MCP server into a client's configuration, and take it out again."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.server.clients.clients import CLIENTS, Client, ClientName
from khub.server.clients.config_file import ClientConfigError, read_config, write_config
from khub.server.clients.json_config import json_entry, with_json_entry
from khub.server.clients.launch import Launch
from khub.server.clients.toml_config import toml_entry, with_toml_entry
from khub.server.clients.yaml_config import with_yaml_entry, yaml_entry


@dataclass(frozen=True)
class Change:
    """What has become of a client's configuration file.

    :param path: the file.
    :param changed: whether it was written, or removed.
    :param backup: the copy of what was there before; None if there was nothing, or nothing was written.
    """

    path: Path
    changed: bool
    backup: Path | None


def install(client: ClientName, name: str, launch: Launch, folder: Path | None = None) -> Change:
    """Enter the server, or bring its entry up to date; other entries and settings stay as they are.

    :param name: what the server is called there.
    :param launch: the command that the client is to run.
    :param folder: a project's folder, for a client that has files of projects; None: where it keeps them otherwise.
    :raises ClientConfigError: if the file cannot be read, understood or written; nothing is written then.
    """
    kind = CLIENTS[client]
    path = kind.path(client, name, folder)
    text = read_config(path)
    return _write(client, path, text, _with(client, kind, path, text or "", name, launch))


def uninstall(client: ClientName, name: str, folder: Path | None = None) -> Change:
    """Take the server's entry out; all else stays, and a file that held nothing else goes.

    :param name: what the server is called there.
    :param folder: as for `install`.
    :raises ClientConfigError: if the file cannot be read, understood or written; nothing is written then.
    """
    kind = CLIENTS[client]
    path = kind.path(client, name, folder)
    text = read_config(path)
    if text is None:
        return Change(path, changed=False, backup=None)
    return _write(client, path, text, _with(client, kind, path, text, name, None))


def snippet(client: ClientName, name: str, launch: Launch) -> str:
    """Return what an empty configuration file would hold, for pasting by hand."""
    return _edited(CLIENTS[client], "", name, launch)


def shell_command(client: ClientName, name: str, launch: Launch) -> list[str]:
    """Return the client's own command that enters the server for all of a user's projects; empty if it has none."""
    if client != ClientName.CLAUDE_CODE:
        return []
    entry = json.dumps({**CLIENTS[client].fields, **launch.entry(None)}, ensure_ascii=False)
    return ["claude", "mcp", "add-json", "--scope", "user", name, entry]


def _with(client: ClientName, kind: Client, path: Path, text: str, name: str, launch: Launch | None) -> str:
    try:
        return _edited(kind, text, name, launch)
    except ValueError as error:
        remedy = f"mend it, or edit it by hand: khub mcp install --client {client} --print"
        raise ClientConfigError(f"{path} was left as it is: {error}", remedy) from None


def _edited(kind: Client, text: str, name: str, launch: Launch | None) -> str:
    def entry(old: Any) -> dict[str, Any] | None:
        return None if launch is None else {**kind.fields, **launch.entry(old)}

    if kind.form == "toml":
        return with_toml_entry(text, kind.section, name, entry(toml_entry(text, kind.section, name)))
    if kind.form == "yaml":
        return with_yaml_entry(text, kind.section, name, entry(yaml_entry(text, kind.section, name)))
    return with_json_entry(text, kind.section, name, entry(json_entry(text, kind.section, name)))


def _write(client: ClientName, path: Path, old: str | None, new: str) -> Change:
    if old == new:
        return Change(path, changed=False, backup=None)
    empty = CLIENTS[client].form == "yaml" and not new
    return Change(path, changed=True, backup=write_config(path, None if empty else new))
