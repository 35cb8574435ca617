"""A component that hands on what another one gave before, so that a graph runs without that one's work."""

import copy
from typing import Any

from haystack import component, default_to_dict
from haystack.core.component import Component, InputSocket
from haystack.core.component.sockets import Sockets
from haystack.core.serialization import component_to_dict

Outputs = dict[str, Any]


@component
class Replay:
    """Runs a component once for each question, and afterwards passes on what it gave then.

    The stages behind it get the very values that they get from the component itself, and do the same work; the
    pipeline schedules and copies as much.

    :param component: the component that is replaced, whose sockets it takes over.
    """

    def __init__(self, component: Component) -> None:
        self.component = component
        self.question = ""
        self._given: dict[str, Outputs] = {}
        inputs: dict[str, InputSocket] = {}
        for name, socket in component.__haystack_input__._sockets_dict.items():  # type: ignore[attr-defined]
            inputs[name] = copy.copy(socket)  # set_input_type() would lose whether it is variadic
            inputs[name].senders = []
        self.__haystack_input__ = Sockets(self, inputs, InputSocket)  # type: ignore[arg-type]
        _take_outputs(self, component)

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the replaced component with it."""
        return default_to_dict(self, component=component_to_dict(self.component, "component"))

    def warm_up(self) -> None:
        """Warm the component up."""
        if hasattr(self.component, "warm_up"):
            self.component.warm_up()

    def run(self, **inputs: Any) -> Outputs:
        """Return what the component gave for `question`; if that is not known yet, run it.

        :param inputs: those of the component.
        """
        if self.question not in self._given:
            self._given[self.question] = dict(self.component.run(**inputs))
        return self._given[self.question]

    async def run_async(self, **inputs: Any) -> Outputs:
        """Do what `run` does.

        :param inputs: those of the component.
        """
        return self.run(**inputs)


def _take_outputs(replay: Any, replaced: Any) -> None:
    sockets = replaced.__haystack_output__._sockets_dict
    component.set_output_types(replay, **{name: socket.type for name, socket in sockets.items()})
