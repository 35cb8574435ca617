"""What the tools return, as their output schemas say it."""

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from khub.components.answer import Answer, Citation


class Shape(BaseModel):
    """Part of a result; later versions may add fields."""

    model_config = ConfigDict(extra="allow")


@dataclass(frozen=True, kw_only=True)
class ToolCitation(Citation):
    """A passage that carries the answer; what a model needs not, of the later ones, is left out."""

    text_shortened: bool = field(default_factory=bool)
    """Whether `text` is what of the passage carries the match."""
    uri: str
    """Resource with the whole passage."""


@dataclass(frozen=True, kw_only=True)
class ToolAnswer(Answer):
    """An answer with its citations."""

    citations: list[ToolCitation]  # type: ignore[assignment]
