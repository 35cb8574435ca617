"""What the files of the container say, as their readers take it."""

import json
import re

import yaml

from tests.docs.markdown import ROOT

DOCKERFILE, COMPOSE = ROOT / "Dockerfile", ROOT / "compose.yaml"


def instruction(name: str, text: str | None = None) -> list[str]:
    """The one list behind an instruction of the last stage: that of `CMD`, `ENTRYPOINT` or `HEALTHCHECK`."""
    stage = (text or DOCKERFILE.read_text(encoding="utf-8")).rpartition("\nFROM ")[2].replace("\\\n", "")
    (found,) = re.findall(rf"^{name} .*?(\[.*\])$", stage, re.MULTILINE)
    return [str(word) for word in json.loads(found)]


def composed(**given: str) -> dict:
    """The services with the variables filled in as compose does; one that is required and not given raises KeyError."""

    def value(match: re.Match) -> str:
        name, kind, rest = match["name"], match["kind"], match["rest"] or ""
        if match[0] == "$$":
            return "$"
        if kind == ":?" and not given.get(name):
            raise KeyError(name)
        return given.get(name) or rest

    text = COMPOSE.read_text(encoding="utf-8")
    filled = re.sub(r"\$\$|\$\{(?P<name>\w+)(?:(?P<kind>:[?-])(?P<rest>[^}]*))?\}", value, text)
    return yaml.safe_load(filled)["services"]
