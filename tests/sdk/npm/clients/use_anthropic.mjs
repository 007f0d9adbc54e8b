// The @anthropic-ai/sdk library: messages by iteration, by its accumulator, and whole.

import { ASKED, KEY, MODEL, SCHEMAS, list, load, serve } from "./answering.mjs";

const Anthropic = load("@anthropic-ai/sdk").default;
const asking = {
  model: MODEL,
  max_tokens: 1000,
  messages: [{ role: "user", content: ASKED }],
  tools: Object.entries(SCHEMAS).map(([name, input_schema]) => ({ name, input_schema })),
};

const client = (asked) =>
  new Anthropic({ baseURL: asked.origin, apiKey: KEY, timeout: asked.timeout_s * 1000, ...asked.extras.client });

async function raw(heard, asked) {
  const calls = [];
  let input = 0;
  for await (const event of await client(asked).messages.create({ ...asking, stream: true })) {
    if (event.type === "message_start") {
      input = event.message.usage.input_tokens;
    } else if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
      calls[event.index] = [event.content_block.id, event.content_block.name, ""];
    } else if (event.type === "content_block_delta") {
      heard.text += event.delta.text ?? "";
      heard.thinking += event.delta.thinking ?? "";
      if (event.delta.type === "input_json_delta") calls[event.index][2] += event.delta.partial_json;
    } else if (event.type === "message_delta") {
      heard.stop = event.delta.stop_reason;
      heard.usage = [input, event.usage.output_tokens];
    }
  }
  calls.forEach((call) => heard.call(...call));
}

async function helper(heard, asked) {
  const stream = client(asked).messages.stream(asking);
  stream.on("text", (delta) => { heard.text += delta; });
  stream.on("thinking", (delta) => { heard.thinking += delta; });
  readMessage(heard, await stream.finalMessage());
}

async function whole(heard, asked) {
  const reply = await client(asked).messages.create(asking);
  readMessage(heard, reply);
  heard.request_id = reply._request_id;
}

function readMessage(heard, reply) {
  const of = (type) => reply.content.filter((block) => block.type === type);
  heard.text = of("text").map((block) => block.text).join("");
  heard.thinking = of("thinking").map((block) => block.thinking).join("");
  for (const call of of("tool_use")) heard.call(call.id, call.name, call.input);
  heard.stop = reply.stop_reason;
  heard.usage = [reply.usage.input_tokens, reply.usage.output_tokens];
}

async function count(heard, asked) {
  const counted = await client(asked).messages.countTokens({ model: MODEL, messages: asking.messages });
  heard.usage = [counted.input_tokens, 0];
}

await serve({
  "messages-raw": raw,
  "messages-helper": helper,
  "messages-whole": whole,
  models: (heard, asked) => list(heard, client(asked).models.list(), "id"),
  count,
});
