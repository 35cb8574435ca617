"""What is wrong with a graph file, as data."""

from collections.abc import Iterable
from dataclasses import dataclass

from khub.components import remote_code
from khub.components.errors import GraphError
from khub.components.extras import install_extra
from khub.components.secret_pairs import IF_TRUSTED


@dataclass(frozen=True)
class Problem:
    """One mistake in a graph file.

    :param line: line in the file, from 1; None when it concerns the file as a whole.
    :param component: name of the component in the graph, or None.
    :param message: what is wrong, with the name and the value of the thing.
    :param remedy: what to do about it.
    """

    line: int | None
    component: str | None
    message: str
    remedy: str

    def is_missing_extra(self) -> bool:
        """Whether the graph is right, and only packages of an extra are not there."""
        return self.remedy.startswith(install_extra("").partition("]")[0])

    def is_missing_trust(self) -> bool:
        """Whether the graph is right, and the user has only not allowed yet what it sends or runs."""
        return self.remedy.startswith(IF_TRUSTED) or remote_code.IF_TRUSTED in self.remedy

    def as_error(self, path: str) -> GraphError:
        """Return the error that names file, line, component and remedy in one line."""
        place = f"{path}:{self.line}" if self.line else path
        return GraphError(": ".join(part for part in (place, self.component, self.message) if part), self.remedy)


def listing(names: Iterable[str]) -> str:
    """Return names in order, separated by commas, or `none`."""
    return ", ".join(sorted(names)) or "none"
