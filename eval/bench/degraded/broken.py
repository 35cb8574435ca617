"""A component that takes the place of another one in a graph, and fails."""

import threading
from typing import Any

from haystack import component
from haystack.core.component import Component

from components.guard import Guard

RELEASE = threading.Event()
"""Set when the measurement is over, so that hanging calls end."""


@component
class Broken(Guard):
    """Has the sockets of another component, and raises or hangs instead of running it.

    :param component: the other one.
    :param how: `raises` or `hangs`.
    """

    def __init__(self, component: Component, how: str) -> None:
        Guard.__init__(self, component, "broken")  # @component makes a new class, which super() does not know
        self.how = how

    def warm_up(self) -> None:
        """Load nothing."""

    def run(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002 - the other component's inputs
        """Fail.

        :param kwargs: the inputs of the other component.
        :raises ConnectionError: at once, or when `RELEASE` is set.
        """
        if self.how == "hangs":
            RELEASE.wait()
        raise ConnectionError(f"{type(self.component).__name__} is down")
