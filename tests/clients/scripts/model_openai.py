"""OpenAI's own library."""

import json
import sys

from openai import OpenAI

given = json.loads(sys.argv[1])
client = OpenAI(base_url=given["url"], api_key=given["token"], max_retries=0)
asked = [{"role": "user", "content": given["question"]}]
reply = client.chat.completions.create(model=given["name"], messages=asked)
parts = client.chat.completions.create(model=given["name"], messages=asked, stream=True)
vectors = client.embeddings.create(model="khub-fast", input=["herons", "苍鹭"])
said = {
    "models": [model.id for model in client.models.list()],
    "chat": reply.choices[0].message.content,
    "cited": [cited["page"] for cited in reply.choices[0].message.citations],
    "stream": "".join(part.choices[0].delta.content or "" for part in parts if part.choices),
    "vectors": [len(one.embedding) for one in vectors.data],
}
sys.stdout.write(json.dumps(said))
