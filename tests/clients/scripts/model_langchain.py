"""LangChain's way to OpenAI's protocol."""

import json
import sys

from langchain_openai import ChatOpenAI, OpenAIEmbeddings

given = json.loads(sys.argv[1])
there = {"base_url": given["url"], "api_key": given["token"], "max_retries": 0}
chat = ChatOpenAI(model=given["name"], **there)
embeddings = OpenAIEmbeddings(model="khub-fast", check_embedding_ctx_length=False, **there)
said = {
    "chat": chat.invoke(given["question"]).content,
    "stream": "".join(str(part.content) for part in chat.stream(given["question"])),
    "vectors": [len(one) for one in embeddings.embed_documents(["herons", "苍鹭"])],
}
sys.stdout.write(json.dumps(said))
