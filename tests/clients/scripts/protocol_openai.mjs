// A parsed reply, by OpenAI's own library for JavaScript; the second argument is where it lies.
import { pathToFileURL } from "node:url";

const given = JSON.parse(process.argv[3]);
const { default: OpenAI } = await import(pathToFileURL(process.argv[2]).href);
const client = new OpenAI({ baseURL: given.url, apiKey: given.token, maxRetries: 0 });
const schema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

let structured;
try {
  const reply = await client.chat.completions.parse({
    model: given.name,
    messages: [{ role: "user", content: given.question }],
    response_format: { type: "json_schema", json_schema: { name: "reply", schema, strict: true } },
  });
  structured = { content: reply.choices[0].message.content };
} catch (error) {
  if (error.status !== 400) throw error;
  structured = { refused: error.message };
}
const response = await client.responses.create({ model: given.name, input: given.question });
process.stdout.write(JSON.stringify({ structured, response: response.output_text }));
