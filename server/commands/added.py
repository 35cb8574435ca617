"""Commands that other packages add to a group of `khub`, such as the evaluation, which the hub itself never imports."""

from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from khub.components.errors import KhubError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "khub.commands"


class ExtensibleGroup(TyperGroup):
    """A group of commands that takes more from the entry points `khub.commands`.

    An entry point is called `GROUP.COMMAND` and names a function, which becomes a command as typer makes it of its
    parameters. They are looked for only when help is asked for, or a command that the group does not have itself.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of its own commands, then those of the added ones."""
        own = super().list_commands(ctx)
        return own + sorted(set(self._added()) - set(own))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; None if there is none."""
        command = super().get_command(ctx, cmd_name)
        if command is None and (entry := self._added().get(cmd_name)):
            command = _command(cmd_name, entry)
        return command

    def _added(self) -> "dict[str, EntryPoint]":
        from importlib.metadata import entry_points

        prefix = f"{self.name}."
        found = entry_points(group=ENTRY_POINTS)
        return {entry.name.removeprefix(prefix): entry for entry in found if entry.name.startswith(prefix)}


def _command(name: str, entry: "EntryPoint") -> Any:
    try:
        function = entry.load()
    except (ImportError, AttributeError) as error:
        package = f" of the package {entry.dist.name}" if entry.dist else ""
        raise KhubError(
            f"the command {entry.name!r}{package} cannot be loaded ({error})",
            "install the package again, or remove it",
            code="library_missing",
        ) from error
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name)(function)
    return typer.main.get_command(app)
