// OpenAI's own library for JavaScript; the second argument is where it lies.
import { pathToFileURL } from "node:url";

const given = JSON.parse(process.argv[3]);
const { default: OpenAI } = await import(pathToFileURL(process.argv[2]).href);
const client = new OpenAI({ baseURL: given.url, apiKey: given.token, maxRetries: 0 });
const messages = [{ role: "user", content: given.question }];

const models = [];
for await (const model of client.models.list()) models.push(model.id);
const reply = await client.chat.completions.create({ model: given.name, messages });
let stream = "";
for await (const part of await client.chat.completions.create({ model: given.name, messages, stream: true }))
  stream += part.choices[0]?.delta?.content ?? "";
const embedded = await client.embeddings.create({ model: "khub-fast", input: ["herons", "苍鹭"] });
const { content, citations } = reply.choices[0].message;
process.stdout.write(
  JSON.stringify({
    models,
    chat: content,
    cited: citations.map((one) => one.page),
    stream,
    vectors: embedded.data.map((one) => one.embedding.length),
  }),
);
