"""Stand-ins for the components of a graph: one that fails, and a language model that always says the same."""

import threading
from typing import Any

from haystack import component
from haystack.core.component import Component
from haystack.dataclasses import ChatMessage

from khub.components.guard import Guard

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


@component
class Says:
    """A chat generator that always says the same.

    :param text: what it says.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], **kwargs: Any) -> dict[str, Any]:
        return {"replies": [ChatMessage.from_assistant(self.text)]}
