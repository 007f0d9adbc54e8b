// The @google/genai library: content streamed and whole.

import { ASKED, KEY, MODEL, SCHEMAS, list, load, serve } from "./answering.mjs";

const { GoogleGenAI } = load("@google/genai");
const functionDeclarations = Object.entries(SCHEMAS).map(([name, parametersJsonSchema]) => ({
  name, parametersJsonSchema,
}));
const asking = { model: MODEL, contents: ASKED, config: { tools: [{ functionDeclarations }] } };

function models(asked) {
  const httpOptions = { baseUrl: asked.origin };
  if (asked.extras.timeout_s) httpOptions.timeout = asked.extras.timeout_s * 1000;
  return new GoogleGenAI({ apiKey: KEY, httpOptions }).models;
}

async function streamed(heard, asked) {
  for await (const chunk of await models(asked).generateContentStream(asking)) read(heard, chunk);
}

async function whole(heard, asked) {
  read(heard, await models(asked).generateContent(asking));
}

function read(heard, chunk) {
  for (const candidate of chunk.candidates ?? []) {
    for (const part of candidate.content?.parts ?? []) {
      const call = part.functionCall;
      if (call) heard.call(call.id, call.name, call.args);
      else heard[part.thought ? "thinking" : "text"] += part.text ?? "";
    }
    heard.stop = candidate.finishReason ?? heard.stop;
  }
  const counts = chunk.usageMetadata;
  if (counts) heard.usage = [counts.promptTokenCount ?? 0, counts.candidatesTokenCount ?? 0];
}

async function count(heard, asked) {
  const counted = await models(asked).countTokens({ model: MODEL, contents: ASKED });
  heard.usage = [counted.totalTokens, 0];
}

await serve({
  "gemini-raw": streamed,
  "gemini-whole": whole,
  models: async (heard, asked) => list(heard, await models(asked).list(), "name"),
  count,
});
