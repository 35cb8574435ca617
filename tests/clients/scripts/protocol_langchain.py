"""LangChain's structured output, its default embeddings and OpenAI's responses."""

import json
import sys
from typing import Any

import tiktoken
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import BadRequestError
from pydantic import BaseModel


class Reply(BaseModel):
    """What is wanted."""

    answer: str


BYTES = tiktoken.Encoding(
    "bytes", pat_str=r"[\s\S]", mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={}
)
tiktoken.encoding_for_model = tiktoken.get_encoding = lambda _: BYTES  # the real ones are fetched from the network

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
