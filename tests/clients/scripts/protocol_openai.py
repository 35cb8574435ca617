"""What of OpenAI's protocol goes beyond a chat, by its own library."""

import json
import sys
from typing import Any

from openai import BadRequestError, OpenAI

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}

given = json.loads(sys.argv[1])
client = OpenAI(base_url=given["url"], api_key=given["token"], max_retries=0)
asked: Any = [{"role": "user", "content": given["question"]}]


def refused(act: Any) -> str:
    """Return what a refused request is told; empty where it is not refused."""
    try:
        act()
    except BadRequestError as error:
        return str(error)
    return ""


def structured() -> dict[str, Any]:
    """Return what becomes of a wish for JSON."""
    try:
        reply = client.chat.completions.create(model=given["name"], messages=asked, response_format=FORMAT)
    except BadRequestError as error:
        return {"refused": str(error)}
    return {"content": reply.choices[0].message.content}


events = list(client.responses.create(model=given["name"], input=given["question"], stream=True))
short = client.chat.completions.create(model=given["name"], messages=asked, stop=["page"], max_tokens=5)
said = {
    "response": client.responses.create(model=given["name"], input=given["question"]).output_text,
    "streamed": "".join(event.delta for event in events if event.type == "response.output_text.delta"),
    "last": events[-1].type,
    "structured": structured(),
    "notes": json.dumps(short.model_extra["khub"].get("notes")),
    "short": short.choices[0].message.content,
    "finish": short.choices[0].finish_reason,
    "token_ids": refused(lambda: client.embeddings.create(model="khub-fast", input=[[1, 2, 3]])),
    "any_collection": client.chat.completions.create(model="khub", messages=asked).choices[0].message.content,
}
sys.stdout.write(json.dumps(said))
