"""Mistakes in a command line, in the words of the hub's own errors: the thing, its value, the remedy."""

import re
from typing import Any

import typer

from khub.components.text.nearest_name import nearest

_CHOICE = re.compile(r"is not one of (?P<known>'.*')")
_COMMAND = re.compile(r"No such command '(?P<name>.*?)'")
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)")
_BOUNDS = {"greater_than_equal": ("ge", "more"), "less_than_equal": ("le", "less")}
_KINDS = {"int_parsing": "a whole number", "float_parsing": "a number", "bool_parsing": "true or false"}


def usage_error(error: typer.TyperException) -> tuple[str, str]:
    """Return what is wrong with a command line, and what to do about it.

    :param error: typer's.
    :returns: message and remedy, as of a `KhubError`.
    """
    context = getattr(error, "ctx", None)
    help_line = f"see: {context.command_path if context else 'khub COMMAND'} -h"
    if isinstance(error, typer.BadParameter):
        return _parameter(error, help_line)
    if option := getattr(error, "option_name", None):
        return _option(error, str(option), help_line)
    if match := _COMMAND.search(error.format_message()):
        names = context.command.list_commands(context) if context else ()
        return f"there is no command {match['name']!r}", nearest(match["name"], names, help_line)
    if match := _EXTRA.search(error.format_message()):
        return f"{match['words']!r} is one word too many", f"put a text with blanks into quotes; {help_line}"
    return error.format_message().rstrip("."), help_line


def _parameter(error: typer.BadParameter, help_line: str) -> tuple[str, str]:
    param = error.param
    hint = error.param_hint if isinstance(error.param_hint, str) else _name(param) if param else ""
    if type(error).__name__ == "MissingParameter":
        return f"{hint} is missing", help_line
    problem = _problem(error.__cause__)
    given, kind = problem.get("input"), problem.get("type", "")
    if match := _CHOICE.search(error.message):
        known = re.findall(r"'([^']*)'", match["known"])
        likely = nearest(str(given), known, "")
        return f"{hint} is {given!r}", " ".join(filter(None, [likely, f"give one of {', '.join(known)}"]))
    if kind in _BOUNDS:
        key, word = _BOUNDS[kind]
        return f"{hint} is {given}", f"give {problem['ctx'][key]} or {word}"
    if kind in _KINDS:
        return f"{hint} is {given!r}", f"give {_KINDS[kind]}"
    remedy = "check the spelling" if error.message.endswith("does not exist.") else ""
    return f"{hint}: {error.message}".removeprefix(": ").rstrip("."), remedy


def _option(error: Any, option: str, help_line: str) -> tuple[str, str]:
    if type(error).__name__ == "NoSuchOption":
        return f"there is no option {option!r}", nearest(option, error.possibilities or (), help_line)
    if "does not take" in error.message:
        return f"{option} takes no value", f"leave it out: {option}"
    return f"{option} has no value", help_line


def _name(param: Any) -> str:
    long = [name for name in param.opts if name.startswith("--")]
    return str((long or [param.metavar or param.opts[0].upper()])[0])


def _problem(cause: Any) -> dict[str, Any]:
    """Return the first thing that the library which checks values has found wrong; empty where it was not asked."""
    errors = getattr(cause, "errors", None)
    return dict(errors()[0]) if callable(errors) else {}
