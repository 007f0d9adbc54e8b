// What every npm client program shares: cases come in as JSON lines, what was understood goes out as such.
// The fields are those of tests/sdk/clients/answering.py.

import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const MODEL = "mock-model";
export const ASKED = "Please read a.txt and list b.";
export const KEY = "sk-test";
export const SCHEMAS = {
  read: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  bash: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

export async function list(heard, pages, name) {
  for await (const model of pages) heard.listed.push(model[name]);
}

// The libraries stand in a folder of their own, which is the first argument.
export const load = createRequire(join(process.argv[2], "package.json"));

const answer = process.stdout.write.bind(process.stdout);
console.log = console.info = console.error;

export class Heard {
  text = "";
  thinking = "";
  refused = "";
  listed = [];
  calls = [];
  usage = null;
  stop = null;
  error = "";
  status = null;
  request_id = null;
  message = "";
  waits_s = [];

  call(id, name, args) {
    this.calls.push([id ?? "", name, typeof args === "string" ? JSON.parse(args) : args]);
  }

  failed(error) {
    // Some classes are known by the name of their instances only, and some of what is thrown is no Error.
    const kind = error?.constructor?.name ?? typeof error;
    this.error = kind.startsWith("_") ? error.name : kind;
    this.message = String(error?.message ?? error).slice(0, 500);
    this.status = error?.status ?? error?.statusCode ?? null;
    this.request_id = error?.requestID ?? null;
  }
}

export async function serve(ways) {
  const one = async (line) => {
    const asked = JSON.parse(line);
    const heard = new Heard();
    try {
      await ways[asked.way](heard, asked);
    } catch (error) {
      heard.failed(error);
    }
    answer(JSON.stringify({ name: asked.name, heard }) + "\n");
  };
  const running = [];
  for await (const line of createInterface({ input: process.stdin })) running.push(one(line));
  await Promise.all(running);
}
