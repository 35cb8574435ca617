"""Schemas of answers: what is always written is required, and nothing else."""

from dataclasses import fields

import jsonschema
import pytest

from khub.components.answer import Answer, Citation, LegReport
from khub.components.value import as_json
from khub.components.verification import Verification
from khub.server.http.value_schemas import value_schemas

pytestmark = pytest.mark.unit


def test_what_is_always_written_is_required() -> None:
    schemas = value_schemas()
    for kind, least in ((Answer, Answer("x")), (Citation, Citation(1, "c")), (Verification, Verification([]))):
        assert set(schemas[kind.__name__]["required"]) == as_json(least).keys()
        assert schemas[kind.__name__]["properties"].keys() == {field.name for field in fields(kind)}


@pytest.mark.parametrize(
    "answer", [Answer("x"), Answer("x", citations=[Citation(1, "c")], legs=[LegReport("a", True, 1)])]
)
def test_an_answer_is_as_its_schema_says(answer: Answer) -> None:
    schemas = value_schemas()
    whole = {**schemas["Answer"], "components": {"schemas": schemas}}
    jsonschema.validate(as_json(answer), whole)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**as_json(answer), "citations": [{"id": "one"}]}, whole)
