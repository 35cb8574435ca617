"""LlamaIndex's way to servers that speak OpenAI's protocol."""

import json
import sys

from llama_index.core.llms import ChatMessage
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike

given = json.loads(sys.argv[1])
there = {"api_base": given["url"], "api_key": given["token"], "max_retries": 0}
chat = OpenAILike(model=given["name"], is_chat_model=True, **there)
embeddings = OpenAILikeEmbedding(model_name="khub-fast", **there)
asked = [ChatMessage(role="user", content=given["question"])]
said = {
    "chat": chat.chat(asked).message.content,
    "stream": "".join(part.delta or "" for part in chat.stream_chat(asked)),
    "vectors": [len(one) for one in embeddings.get_text_embedding_batch(["herons", "苍鹭"])],
}
sys.stdout.write(json.dumps(said))
