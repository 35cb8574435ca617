"""A passage that a model is shown."""

from typing import TypedDict


class PromptPassage(TypedDict):
    """A citation by its number, and what the model reads of it."""

    id: int
    text: str
