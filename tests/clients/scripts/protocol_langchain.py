"""LangChain's structured output, its default embeddings and OpenAI's responses."""

import json
import sys
from typing import Any

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import BadRequestError
from pydantic import BaseModel


class Reply(BaseModel):
    """What is wanted."""

    answer: str


given = json.loads(sys.argv[1])
there: Any = {"base_url": given["url"], "api_key": given["token"], "max_retries": 0}


def tried(act: Any) -> dict[str, Any]:
    """Return what comes, or why the hub refuses."""
    try:
        return {"content": act()}
    except BadRequestError as error:
        return {"refused": str(error)}


chat = ChatOpenAI(model=given["name"], **there)
wanted = chat.with_structured_output(Reply, method="json_schema")
responses = ChatOpenAI(model=given["name"], use_responses_api=True, **there)
said = {
    "structured": tried(lambda: wanted.invoke(given["question"]).model_dump_json()),
    "token_ids": tried(lambda: OpenAIEmbeddings(model="khub-fast", **there).embed_query("herons")),
    "response": responses.invoke(given["question"]).text,
}
sys.stdout.write(json.dumps(said))
