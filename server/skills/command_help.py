"""The help of a khub command as Markdown, made from the command itself."""

from collections.abc import Sequence
from typing import Any

import typer


def command_help(root: Any, words: Sequence[str]) -> str:
    """Return a section on a command: what it does, its usage, its arguments and options.

    :param root: the click group of `khub`.
    :param words: the command's name below it: `["eval", "run"]`.
    :raises LookupError: if there is no such command.
    """
    context = command_context(root, words)
    command = context.command
    records = [record for parameter in command.params if (record := parameter.get_help_record(context))]
    lines = [f"## {context.command_path}", "", _described(command), "", f"Usage: `{_usage(context)}`", ""]
    lines += ["| argument or option | meaning |", "| --- | --- |"] if records else []
    lines += [f"| `{_cell(name)}` | {_cell(meaning)} |" for name, meaning in records]
    return "\n".join(lines)


def command_context(root: Any, words: Sequence[str]) -> Any:
    """Return the click context of a command.

    :param root: the click group of `khub`.
    :param words: the command's name below it.
    :raises LookupError: if there is no such command.
    """
    context = typer.Context(root, info_name="khub")
    for word in words:
        find = getattr(context.command, "get_command", None)
        command = find(context, word) if find else None
        if command is None:
            raise LookupError(f"there is no command khub {' '.join(words)}")
        context = typer.Context(command, info_name=word, parent=context)
    return context


def _described(command: Any) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (command.help or "").replace("\b", "").split("\n\n"))


def _usage(context: Any) -> str:
    return " ".join([context.command_path, *context.command.collect_usage_pieces(context)])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
