// The text that a model reads in every request: the size of each tool as `tools/list` sends it, and
// of the system prompt.
import { PassThrough } from "node:stream";
import { createTracker, systemPrompt, taskPrompt } from "../dist/index.js";
import { todoServer } from "../dist/servers/mcp/index.js";
import { memoryTaskStore } from "../dist/tasks/memory.js";
import { table } from "./measure.mjs";

const LIST_TOOLS = [
  "todos",
  "TodoWrite",
  "todo_write.ops",
  "update_plan",
  "write_todos",
  "todo",
  "todowrite",
  "todo_write.qwen",
];
const TASK_TOOLS = ["tasks", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"];

const bytes = (text) => Buffer.byteLength(text);

/** The only tool of a server with these options, as a client gets it. */
async function published(options) {
  const input = new PassThrough();
  const output = new PassThrough();
  const tasks = { tasks: () => memoryTaskStore() };
  const connection = todoServer(createTracker(), { ...options, tasks }).serve({ input, output });
  const ask = (message) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  ask({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    },
  });
  ask({ method: "notifications/initialized" });
  ask({ id: 2, method: "tools/list" });
  const answers = [];
  for await (const chunk of output) {
    answers.push(chunk);
    const lines = Buffer.concat(answers).toString().split("\n");
    const found = lines
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .find(({ id }) => id === 2);
    if (!found) continue;
    await connection.close();
    const [{ name, description, inputSchema }] = found.result.tools;
    return { name, description, inputSchema };
  }
  throw new Error("The server sent no tools.");
}

export async function run() {
  const rows = [];
  const add = async (tool, options) => {
    const definition = await published(options);
    const { description, inputSchema } = definition;
    rows.push({
      tool,
      description: bytes(description),
      schema: bytes(JSON.stringify(inputSchema)),
      all: bytes(JSON.stringify(definition)),
    });
  };
  for (const id of LIST_TOOLS) await add(id, { tools: [id] });
  for (const id of TASK_TOOLS) await add(id, { tools: [], taskTools: [id] });
  await add("plan", { tools: [], plans: true });
  const all = rows.reduce((sum, row) => sum + row.all, 0);
  table([...rows, { tool: "all", all }]);
  table([
    { prompt: "short", bytes: bytes(systemPrompt("todos")) },
    { prompt: "full", bytes: bytes(systemPrompt("todos", "full")) },
    { prompt: "tasks", bytes: bytes(taskPrompt("tasks")) },
  ]);
}
