import { createInterface } from "node:readline";
import { endGroup, memoryOf, startNode } from "./process.mjs";

const PATIENCE = 20_000;
const IDLE = 400;
const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

/** Starts an MCP server and greets it; `ready` is the milliseconds until it answered. */
export async function openServer({ args, cwd, env }) {
  const start = performance.now();
  const child = startNode(args, { cwd, env }, ["pipe", "pipe", "ignore"]);
  const waiting = new Map();
  const ended = new Promise((resolve) => child.once("close", resolve));
  let ending;
  ended.then((code) => {
    ending = `the server ended with ${code}`;
    for (const { fail } of waiting.values()) fail(ending);
  });
  child.stdin.on("error", () => {});
  const send = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === undefined)
      waiting.get(id)?.answer({ result, error, bytes: Buffer.byteLength(line) });
    else if (id !== undefined) send({ id, error: { code: -32601, message: "not offered" } });
  });
  let last = 0;
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const settle = (done) => (value) => {
        clearTimeout(alarm);
        waiting.delete(id);
        done(value);
      };
      const fail = settle((why) => reject(new Error(why)));
      const alarm = setTimeout(fail, PATIENCE, `no answer within ${PATIENCE / 1_000} s`);
      const answer = settle(({ error, ...good }) =>
        error ? reject(new Error(error.message)) : resolve(good),
      );
      waiting.set(id, { answer, fail });
      if (ending) fail(ending);
      else send({ id, method, params });
    });
  const close = async () => {
    endGroup(child);
    await ended;
  };
  try {
    await ask("initialize", HELLO);
  } catch (error) {
    await close();
    throw error;
  }
  const ready = performance.now() - start;
  send({ method: "notifications/initialized" });
  return {
    ready,
    tools: async () => {
      const { result, bytes } = await ask("tools/list", {});
      return { count: result.tools.length, bytes };
    },
    call: async (call) => (await ask("tools/call", call)).result,
    memory: () => memoryOf(child.pid),
    close,
  };
}

/** Milliseconds until a server has answered, and its megabytes a moment later. */
export async function greet(place) {
  const server = await openServer(place);
  try {
    await new Promise((resolve) => setTimeout(resolve, IDLE));
    return { ready: server.ready, memory: server.memory() };
  } finally {
    await server.close();
  }
}
