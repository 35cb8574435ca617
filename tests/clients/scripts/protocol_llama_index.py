"""LlamaIndex with bounds on the reply, and no collection named."""

import json
import sys

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

given = json.loads(sys.argv[1])
there = {"api_base": given["url"], "api_key": given["token"], "max_retries": 0, "is_chat_model": True}
chat = OpenAILike(model="khub", max_tokens=5, additional_kwargs={"stop": ["page"]}, **there)
reply = chat.chat([ChatMessage(role="user", content=given["question"])])
sys.stdout.write(json.dumps({"chat": reply.message.content, "notes": json.dumps(reply.raw.model_extra["khub"])}))
