"""What the last stage of a graph gave, as the value that every door hands out."""

from dataclasses import fields
from typing import Any, TypeVar

from khub.components.errors import GraphError
from khub.components.text.nearest_name import nearest_name
from khub.components.value import Value, adapter
from khub.server.graphs.load import Graph

T = TypeVar("T", bound=Value)


def given_value(kind: type[T], graph: Graph, output: str, given: Any) -> T:
    """Return an output of a graph; a stage of somebody's own may give it as a dict, with `more` keys of its own.

    :raises GraphError: naming the file and the key that does not fit.
    """
    if isinstance(given, kind):
        return given
    place = f"{graph.path}: {graph.outputs.get(output, output)}"
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    if not isinstance(given, dict):
        said = "nothing" if given is None else f"a {type(given).__name__}"
        raise GraphError(f"{place} gives {said}", f"let it give {kind.__name__} or a dict with '{names[0]}'")
    more = {key: one for key, one in given.items() if key not in names}
    for key in more:
        if meant := nearest_name(str(key), names):
            raise GraphError(f"{place} gives a key {key!r} that {kind.__name__} has not", f"did you mean {meant!r}?")
    from pydantic import ValidationError

    try:
        return adapter(kind).validate_python({**given, "more": more} if more else given)
    except ValidationError as error:
        first = error.errors()[0]
        key, wrong = ".".join(map(str, first["loc"])), first["msg"][:1].lower() + first["msg"][1:]
        raise GraphError(
            f"{place} gives '{key}' wrong: {wrong}", f"see {kind.__name__} in {kind.__module__}"
        ) from error
