"""A component that takes the place of another one in a graph, and fails."""

import threading
from typing import Any

from haystack import component
from haystack.core.component import Component

from components.guard import Guard

RELEASE = threading.Event()


@component
class Broken(Guard):
    """Has the sockets of another component, and raises or hangs instead of running it.

    :param component: the other one.
    :param how: `raises` or `hangs`.
    """

    def __init__(self, component: Component, how: str = "raises") -> None:
        Guard.__init__(self, component, "broken")  # @component makes a new class, which super() does not know
        self.how = how

    def run(self, **kwargs: Any) -> dict[str, Any]:
        if self.how == "hangs":
            RELEASE.wait(20)
        raise ConnectionError(f"{type(self.component).__name__} is down")
