"""Models whose own code a graph, or a collection, would run: refused until the user has allowed it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from khub.components.errors import GraphError
from khub.components.trust import allowed_code

SWITCH = "trust_remote_code"
"""By this name every library lets a model bring code of its own, at whatever depth of its parameters."""
MODEL_KEYS = ("model", "model_name_or_path", "model_name", "model_id", "pretrained_model_name_or_path")
IF_TRUSTED = "if you trust who made it: khub trust --code"


class RemoteCode(NamedTuple):
    """Where the code of a model is switched on.

    :param path: of the switch in the data.
    :param model: as the parameters around it name it, else the class.
    """

    path: tuple[str | int, ...]
    model: str

    @property
    def message(self) -> str:
        """What is wrong with it."""
        return f"'{SWITCH}' would run the code that comes with the model '{self.model}'"

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return f"take it out, or {IF_TRUSTED} '{self.model}'"


def refused_code(data: Any) -> list[RemoteCode]:
    """Return what in some data switches on the code of a model that the user has not allowed.

    :param data: of a graph, or of parts of one, right or not.
    """
    found = list(_switches(data, (), "?"))
    allowed = allowed_code() if found else set()
    return [one for one in found if one.model not in allowed]


def check_remote_code(parts: Any, what: str) -> None:
    """Refuse what would run the code of a model that the user has not allowed.

    :param what: what the parts are of, for the message.
    :raises GraphError: naming model and remedy.
    """
    if refused := refused_code(parts):
        raise GraphError(f"{what}: {refused[0].message}", refused[0].remedy, code="graph_not_trusted")


def _switches(value: Any, path: tuple[str | int, ...], model: str) -> Iterator[RemoteCode]:
    """Yield the switches that are on; a text such as "no" switches on, as it would in Python."""
    if isinstance(value, dict):
        named = [value[key] for key in (*MODEL_KEYS, "type") if isinstance(value.get(key), str)]
        model = named[0] if named else model
        if value.get(SWITCH):
            yield RemoteCode((*path, SWITCH), model)
        for key, item in value.items():
            yield from _switches(item, (*path, str(key)), model)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _switches(item, (*path, position), model)
