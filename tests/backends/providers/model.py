"""What a capable model would say to each of the hub's prompts."""

import json
import re
from collections.abc import Sequence

from tests.eval.evaluators.model_judge import judge

FACT = "The battery of the Ember robot lasts eleven hours"
CAPTION = "A flow chart: START leads to the battery check, which leads to DOCK or to END."
PARTS = re.compile(r"^===== \S+ ?(.*)\n([\s\S]*?)(?=^===== )", re.MULTILINE)
SEARCH = json.dumps({"intent": "search", "confidence": 0.9, "sides": [], "reply": ""})


def says(prompt: str, system: str = "", images: Sequence[str] = ()) -> str:  # noqa: PLR0911 - one for each prompt
    """Return the reply.

    :param images: in Base64.
    """
    parts = PARTS.findall(prompt)
    if "Describe the picture" in prompt:
        return CAPTION if images else "I cannot see a picture."
    if "Rank passages of documents" in prompt:
        return json.dumps({"documents": [{"index": int(_passage(parts)[1])}]})
    if "A search over documents is given a question" in prompt:
        return json.dumps({"queries": ["accumulator of the robot", "runtime on one charge", "battery duration"]})
    if "A search over documents has been given a message" in prompt:
        return SEARCH
    if "You prepare a passage" in prompt:
        return dict(parts)["the passage to rewrite"].strip()
    if "You catalogue a document" in prompt:
        said = {"title": "Ember", "summary": "How long it lasts.", "tags": ["robot", "battery", "dock"]}
        return json.dumps({**said, "language": "en", "dates": []})
    if "You check whether passages" in prompt:
        found = {"verdict": "agrees", "passage": int(_passage(parts)[1]), "evidence": FACT}
        return json.dumps({**found, "confidence": 0.9, "reason": "It says so."})
    if "You answer a question" in prompt:
        return f"{FACT} {_passage(parts)[0]}."
    return judge()({"messages": [{"content": system}, {"content": prompt}]})


def _passage(parts: list[tuple[str, str]]) -> tuple[str, str]:
    """Return the mark, and the number, of the passage that tells of the battery."""
    (name,) = [name for name, text in parts if name.startswith("passage") and FACT in text][:1]
    mark = name.removeprefix("passage ")
    return mark, mark.strip("[]")
