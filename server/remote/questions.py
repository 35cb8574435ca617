"""Questions that a service answers."""

from typing import Any
from urllib.parse import quote

from khub.components.answer import Answer
from khub.components.value import adapter
from khub.server.remote.failures import no_hub
from khub.server.remote.service import Service


def ask(service: Service, graph: str, **inputs: Any) -> Answer:
    """Return a cited answer, as `khub.server.questions.ask.ask` does.

    :param graph: of kind `query`, by its name at the service.
    :param inputs: of the graph; None is left out.
    """
    given = {name: value for name, value in inputs.items() if value is not None}
    path = f"/{quote(graph)}/run"
    reply = service.ask("POST", path, "answer", "citations", "degraded", json=given)
    from pydantic import ValidationError

    try:
        return adapter(Answer).validate_python(reply)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise no_hub(service.address, f"an answer whose '{key}' is wrong ({first['msg']}) at {path}") from error
