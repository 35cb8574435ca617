"""Questions that a service answers."""

from typing import Any
from urllib.parse import quote

from khub.server.remote.service import Service


def ask(service: Service, graph: str, **inputs: Any) -> dict[str, Any]:
    """Return a cited answer, as `khub.server.questions.ask.ask` does.

    :param graph: of kind `query`, by its name at the service.
    :param inputs: of the graph; None is left out.
    """
    given = {name: value for name, value in inputs.items() if value is not None}
    return service.ask("POST", f"/{quote(graph)}/run", "answer", "citations", "degraded", json=given)
