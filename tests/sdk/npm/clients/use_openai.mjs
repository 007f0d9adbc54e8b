// The openai library: chat completions and responses, by iteration, by its accumulators, and whole.

import { ASKED, KEY, MODEL, SCHEMAS, list, load, serve } from "./answering.mjs";

const OpenAI = load("openai").default;
const messages = [{ role: "user", content: ASKED }];
const tools = Object.entries(SCHEMAS).map(([name, parameters]) => ({ type: "function", name, parameters }));
const chat = { model: MODEL, messages, tools: tools.map(({ type, ...f }) => ({ type, function: f })) };
const responses = { model: MODEL, input: messages, tools };
const counted = { include_usage: true };

const client = (asked) =>
  new OpenAI({ baseURL: `${asked.origin}/v1`, apiKey: KEY, timeout: asked.timeout_s * 1000, ...asked.extras.client });

async function chatRaw(heard, asked) {
  const calls = [];
  for await (const chunk of await client(asked).chat.completions.create({
    ...chat, stream: true, stream_options: counted,
  })) {
    if (chunk.usage) heard.usage = [chunk.usage.prompt_tokens, chunk.usage.completion_tokens];
    for (const { delta, finish_reason } of chunk.choices) {
      heard.text += delta.content ?? "";
      heard.refused += delta.refusal ?? "";
      heard.thinking += delta.reasoning_content ?? "";
      heard.stop = finish_reason ?? heard.stop;
      for (const call of delta.tool_calls ?? []) {
        if (call.id) calls[call.index] = [call.id, call.function.name, ""];
        calls[call.index][2] += call.function.arguments ?? "";
      }
    }
  }
  for (const call of calls) heard.call(...call);
}

async function chatHelper(heard, asked) {
  const runner = client(asked).chat.completions.stream({ ...chat, stream_options: counted });
  runner.on("content", (delta) => { heard.text += delta; });
  runner.on("chunk", (chunk) => { heard.thinking += chunk.choices[0]?.delta?.reasoning_content ?? ""; });
  readChat(heard, await runner.finalChatCompletion());
}

async function chatWhole(heard, asked) {
  const reply = await client(asked).chat.completions.create(chat);
  readChat(heard, reply);
  heard.request_id = reply._request_id;
}

function readChat(heard, { choices: [choice], usage }) {
  heard.text = choice.message.content ?? "";
  heard.refused = choice.message.refusal ?? "";
  // The accumulator keeps only the last piece of what it does not know, so pieces heard before win.
  heard.thinking ||= choice.message.reasoning_content ?? "";
  heard.stop = choice.finish_reason;
  for (const call of choice.message.tool_calls ?? []) {
    heard.call(call.id, call.function.name, call.function.arguments);
  }
  if (usage) heard.usage = [usage.prompt_tokens, usage.completion_tokens];
}

async function responsesRaw(heard, asked) {
  for await (const event of await client(asked).responses.create({ ...responses, stream: true })) {
    readEvent(heard, event);
    if (["response.completed", "response.incomplete"].includes(event.type)) readEnding(heard, event.response);
  }
}

async function responsesHelper(heard, asked) {
  const stream = client(asked).responses.stream(responses);
  for await (const event of stream) readEvent(heard, event);
  readResponse(heard, await stream.finalResponse());
}

async function responsesWhole(heard, asked) {
  const reply = await client(asked).responses.create(responses);
  readResponse(heard, reply);
  heard.request_id = reply._request_id;
}

function readEvent(heard, event) {
  if (event.type === "response.output_text.delta") heard.text += event.delta;
  if (event.type === "response.refusal.delta") heard.refused += event.delta;
  if (event.type === "response.reasoning_summary_text.delta") heard.thinking += event.delta;
  if (event.type === "error") heard.message = `an event: ${event.message}`;
}

const of = (type, reply) => reply.output.filter((item) => item.type === type);

function readResponse(heard, reply) {
  const parts = of("message", reply).flatMap((item) => item.content);
  heard.text = parts.map((part) => part.text ?? "").join("");
  heard.refused = parts.map((part) => part.refusal ?? "").join("");
  heard.thinking = of("reasoning", reply).flatMap((item) => item.summary).map((part) => part.text).join("");
  readEnding(heard, reply);
}

// All but what the deltas have told.
function readEnding(heard, reply) {
  for (const call of of("function_call", reply)) heard.call(call.call_id, call.name, call.arguments);
  heard.stop = reply.status;
  if (reply.usage) heard.usage = [reply.usage.input_tokens, reply.usage.output_tokens];
}

async function count(heard, asked) {
  const counted = await client(asked).responses.inputTokens.count({ model: MODEL, input: messages });
  heard.usage = [counted.input_tokens, 0];
}

await serve({
  "chat-raw": chatRaw,
  "chat-helper": chatHelper,
  "chat-whole": chatWhole,
  "responses-raw": responsesRaw,
  "responses-helper": responsesHelper,
  "responses-whole": responsesWhole,
  models: (heard, asked) => list(heard, client(asked).models.list(), "id"),
  count,
});
