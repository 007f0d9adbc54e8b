// The ai library over its providers for openai (both interfaces), anthropic, google and openai-compatible.

import { ASKED, KEY, MODEL, SCHEMAS, load, serve } from "./answering.mjs";

const { generateText, jsonSchema, streamText, tool } = load("ai");
const { createAnthropic } = load("@ai-sdk/anthropic");
const { createGoogleGenerativeAI } = load("@ai-sdk/google");
const { createOpenAI } = load("@ai-sdk/openai");
const { createOpenAICompatible } = load("@ai-sdk/openai-compatible");

const tools = Object.fromEntries(
  Object.entries(SCHEMAS).map(([name, schema]) => [name, tool({ inputSchema: jsonSchema(schema) })]),
);
const openai = (origin) => createOpenAI({ baseURL: `${origin}/v1`, apiKey: KEY });
const models = {
  chat: (origin) => openai(origin).chat(MODEL),
  responses: (origin) => openai(origin)(MODEL),
  messages: (origin) => createAnthropic({ baseURL: `${origin}/v1`, apiKey: KEY })(MODEL),
  gemini: (origin) => createGoogleGenerativeAI({ baseURL: origin, apiKey: KEY })(MODEL),
  compatible: (origin) =>
    createOpenAICompatible({ name: "mock", baseURL: `${origin}/v1`, apiKey: KEY, includeUsage: true })(MODEL),
};

const asking = (model, asked) => ({
  model: model(asked.origin), prompt: ASKED, tools, maxOutputTokens: 1000, ...asked.extras.client,
});

const streamed = (model) => async (heard, asked) => {
  let failure = null;
  const result = streamText({ ...asking(model, asked), onError: ({ error }) => { failure ??= error; } });
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") heard.text += part.text;
    else if (part.type === "reasoning-delta") heard.thinking += part.text;
    else if (part.type === "tool-call") heard.call(part.toolCallId, part.toolName, part.input);
    else if (part.type === "finish") finished(heard, part.finishReason, part.totalUsage);
  }
  if (failure) heard.failed(failure);
};

const whole = (model) => async (heard, asked) => {
  const reply = await generateText(asking(model, asked));
  heard.text = reply.text;
  heard.thinking = reply.reasoningText ?? "";
  for (const call of reply.toolCalls) heard.call(call.toolCallId, call.toolName, call.input);
  finished(heard, reply.finishReason, reply.usage);
};

function finished(heard, reason, usage) {
  heard.stop = reason;
  heard.usage = [usage.inputTokens ?? 0, usage.outputTokens ?? 0];
}

const ways = {};
for (const [name, model] of Object.entries(models)) {
  ways[`${name}-streamed`] = streamed(model);
  ways[`${name}-whole`] = whole(model);
}
await serve(ways);
