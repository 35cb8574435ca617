"""What is wrong with a graph file, as data."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from khub.components.errors import GraphError
from khub.components.extras import install_extra

NOT_TRUSTED = "graph_not_trusted"


@dataclass(frozen=True)
class Problem:
    """One mistake in a graph file.

    :param line: line in the file, from 1; None when it concerns the file as a whole.
    :param component: name of the component in the graph, or None.
    :param message: what is wrong, with the name and the value of the thing.
    :param remedy: what to do about it.
    :param code: what is wrong in one word, as errors have it.
    """

    line: int | None
    component: str | None
    message: str
    remedy: str
    code: str = GraphError.code

    def is_missing_extra(self) -> bool:
        """Whether the graph is right, and only packages of an extra are not there."""
        return self.remedy.startswith(install_extra("").partition("]")[0])

    def is_missing_trust(self) -> bool:
        """Whether the graph is right, and the user has only not allowed yet what it sends or runs."""
        return self.code == NOT_TRUSTED

    def as_error(self, path: str) -> GraphError:
        """Return the error that names file, line, component and remedy in one line."""
        place = f"{path}:{self.line}" if self.line else path
        message = ": ".join(part for part in (place, self.component, self.message) if part)
        return GraphError(message, self.remedy, code=self.code)


def of_connections(problems: Iterable[Problem]) -> list[Problem]:
    """Give problems the code of connections, inputs and outputs."""
    return [replace(problem, code="graph_connection_invalid") for problem in problems]


def listing(names: Iterable[str]) -> str:
    """Return names in order, separated by commas, or `none`."""
    return ", ".join(sorted(names)) or "none"
