"""What the tools return, as their output schemas say it."""

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """Part of a result; later versions may add fields."""

    model_config = ConfigDict(extra="allow")
