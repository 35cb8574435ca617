"""The service that `--server` names, and what works with it."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from khub.components.text.shown_address import shown_address

if TYPE_CHECKING:
    from khub.server.remote.service import Service

OPTION, VARIABLE = "--server", "KHUB_SERVER"
COMMANDS = ("query", "ingest", "list", "show", "delete", "trace list", "trace show", "trace tail")
SCHEMES = ("http", "https")


def checked_address(text: str) -> str:
    """Return the address of a service without a slash at its end.

    :raises typer.BadParameter: if it is none, or holds what does not belong there.
    """
    try:
        parts = urlsplit(text.strip())
        known = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise typer.BadParameter(
            f"{shown_address(text)!r} is no address of a service, such as https://hub.example.com", param_hint=OPTION
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise typer.BadParameter(
            f"{shown_address(text)!r} has a user, ? or # in it: a token goes into KHUB_TOKEN", param_hint=OPTION
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def check_command(name: str | None) -> None:
    """Refuse a command that needs the hub on this machine.

    :raises typer.BadParameter: naming those that do not.
    """
    if name is not None and name not in {command.partition(" ")[0] for command in COMMANDS}:
        raise typer.BadParameter(
            f"khub {name} needs a hub on this machine; with {OPTION} or {VARIABLE} work {', '.join(COMMANDS)}",
            param_hint=OPTION,
        )


def refuse_options(**given: object) -> None:
    """Refuse options that a service cannot follow.

    :param given: option, with `_` for `-` -> its value; one without a value is none.
    :raises typer.BadParameter: naming the first one.
    """
    for name, value in given.items():
        if value:
            raise typer.BadParameter(
                f"it needs a hub on this machine, not {OPTION}", param_hint=f"--{name.replace('_', '-')}"
            )


def chosen_service(context: typer.Context, writing: bool = False) -> "Service | None":
    """Return the service that the command goes to; None where it means the hub on this machine.

    :param context: of the command.
    :param writing: whether it is asked to change something.
    """
    if context.obj is None:
        return None
    from khub.server.remote.service import Service

    service = Service(context.obj, writing)
    context.call_on_close(service.close)
    return service
