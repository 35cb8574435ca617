"""What the stages have in common that ask a model: its generator, its prompt, and the limits of its calls."""

from collections.abc import Sequence
from typing import Any

from haystack import default_to_dict
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict

from khub.components.enrichers.stage import LIMITS, Outcome, Stage, Task
from khub.components.model_servers.prompt import prompt_fingerprint


class AskingStage:
    """Keeps the parameters of a stage and the engine that asks for it; each stage is a component of its own.

    :param generator: any Haystack chat generator, or None to ask nobody.
    :param prompt_file: path of another prompt.
    :param limits: of `Stage`, one number for each of `LIMITS`.
    :param own: the parameters that only this component has.
    """

    name: str
    """Of the stage and of its prompt."""
    version: str
    """Changes whenever the same reply would be used otherwise."""

    def __init__(
        self, generator: ChatGenerator | None, prompt_file: str | None, limits: tuple[float, ...], **own: Any
    ) -> None:
        self.generator = generator
        self.prompt_file = prompt_file
        self.limits: dict[str, Any] = dict(zip(LIMITS, limits, strict=True))
        self.own = own
        self._stage = Stage(self.name, self.version, generator, **self.limits) if generator else None

    @property
    def fingerprint(self) -> str:
        """Names everything, besides the parameters, that decides what a chunk or a document gets."""
        prompt = prompt_fingerprint(self.name, self.prompt_file) if self.generator else "none"
        return f"{type(self).__name__}(prompt={prompt}, version={self.version})"

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        generator = component_to_dict(self.generator, "generator") if self.generator else None
        return default_to_dict(self, generator=generator, prompt_file=self.prompt_file, **self.own, **self.limits)

    def warm_up(self) -> None:
        """Warm the generator up."""
        if self._stage:
            self._stage.warm_up()

    def close(self) -> None:
        """Release what the generator holds."""
        if self._stage:
            self._stage.close()

    def _ask(self, tasks: Sequence[Task]) -> list[Outcome]:
        return self._stage.run(tasks) if self._stage and tasks else []
