import { PassThrough } from "node:stream";
import { todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { holds } from "../check.ts";

/** A real client's calls are small; time is measured on the frames. */
export const grows = false;

const START = [
  {
    jsonrpc: "2.0",
    id: "start",
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "fuzz", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");
const INTERNAL_ERROR = -32_603;

/** Every request gets exactly one answer, and none is an internal error. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: {
    readonly id?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) answers.push(JSON.parse(line));
  });
  const store = memoryTaskStore();
  const { closed } = todoServer(tracker, {
    track: { session: "s", agent: "main" },
    plans: true,
    tasks: { tasks: () => store },
    taskTools: ["tasks"],
  }).serve({ input, output });
  input.write(START);
  input.end(bytes);
  await closed;
  const counts = new Map<unknown, number>();
  for (const { id, error } of answers) {
    holds(`no internal error: ${error?.message}`, error?.code !== INTERNAL_ERROR);
    if (id !== undefined && id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  holds("the start is answered once", counts.get("start") === 1);
}
