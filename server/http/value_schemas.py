"""Schemas of the answers that the service gives, made of the values that it writes."""

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from khub.components.answer import Answer
from khub.components.value import Value, adapter
from khub.components.verification import Verification

PLACE = "#/components/schemas/"
GIVEN: dict[str, type[Value]] = {"query": Answer, "verify": Verification}
"""Kind of a graph -> what its run gives."""


def reference(kind: type[Value]) -> dict[str, Any]:
    """Return the schema of a value, as the place where the OpenAPI document has it."""
    return {"$ref": f"{PLACE}{kind.__name__}"}


def value_schemas() -> dict[str, Any]:
    """Return name -> schema of all values that graphs give, and of what they hold."""
    adapters: Any = [(kind.__name__, "serialization", adapter(kind)) for kind in GIVEN.values()]
    _, made = TypeAdapter.json_schemas(adapters, ref_template=PLACE + "{model}", schema_generator=_Written)
    return dict(made["$defs"])


class _Written(GenerateJsonSchema):
    """Requires what is always written: all but the fields with a plain default (see `Value`)."""

    def field_is_required(
        self, field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField, total: bool
    ) -> bool:
        return super().field_is_required(field, total) or "default_factory" in field["schema"]
