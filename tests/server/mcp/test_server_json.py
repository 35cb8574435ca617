"""`server.json` is what the MCP registry takes, and agrees with the package."""

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
import typer

from khub.server.cli import app

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
STRING = {"type": "string"}
INPUT = {
    "description": STRING,
    "isRequired": {"type": "boolean"},
    "isSecret": {"type": "boolean"},
    "format": {"enum": ["string", "number", "boolean", "filepath"]},
    "default": STRING,
    "value": STRING,
    "placeholder": STRING,
    "choices": {"type": "array", "items": STRING, "minItems": 1},
}
VARIABLE = {
    "type": "object",
    "required": ["name", "description"],
    "additionalProperties": False,
    "properties": {"name": {"pattern": "^[A-Z][A-Z0-9_]*$", **STRING}, **INPUT},
}
ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "additionalProperties": False,
    "properties": {"type": {"enum": ["positional", "named"]}, "name": STRING, "valueHint": STRING, **INPUT},
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}, {"required": ["name"]}],
}
PACKAGE = {
    "type": "object",
    "required": ["registryType", "identifier", "version", "transport"],
    "additionalProperties": False,
    "properties": {
        "registryType": {"const": "pypi"},
        "identifier": STRING,
        "version": {"type": "string", "minLength": 1, "not": {"const": "latest"}},
        "runtimeHint": {"const": "uvx"},
        "transport": {"const": {"type": "stdio"}},
        "runtimeArguments": {"type": "array", "items": ARGUMENT},
        "packageArguments": {"type": "array", "items": ARGUMENT},
        "environmentVariables": {"type": "array", "items": VARIABLE},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255},
        "websiteUrl": STRING,
        "packages": {"type": "array", "minItems": 1, "items": PACKAGE},
    },
}


@pytest.fixture(scope="module")
def server_json():
    return json.loads((ROOT / "server" / "mcp" / "server.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_it_has_the_registrys_form(server_json):
    jsonschema.validate(server_json, SCHEMA)


@pytest.mark.parametrize("damage", ["name", "description", "version", "packages"])
def test_a_field_that_lacks_would_be_noticed(server_json, damage):
    with pytest.raises(jsonschema.ValidationError, match=damage):
        jsonschema.validate({key: value for key, value in server_json.items() if key != damage}, SCHEMA)


def test_it_agrees_with_the_package(server_json, project):
    (package,) = server_json["packages"]
    assert package["identifier"] == project["name"]
    assert {server_json["version"], package["version"]} == {project["version"]}
    assert server_json["name"].endswith(f"/{project['name']}")


def test_its_arguments_are_a_command_that_serves(server_json):
    (package,) = server_json["packages"]
    words = [argument["value"] for argument in package["packageArguments"]]
    root = typer.main.get_command(app)
    assert root.get_command(typer.Context(root), words[0]) is not None


def test_its_variables_are_those_that_the_reference_names(server_json):
    reference = (ROOT / "docs/reference/environment.md").read_text(encoding="utf-8")
    for variable in server_json["packages"][0]["environmentVariables"]:
        assert re.search(rf"^\| `{variable['name']}` \|", reference, re.MULTILINE)
