// A small agent program: it runs its hooks through a shell and its MCP server as a child process, as the
// real ones do, carries out the steps it is given and prints one JSON line for each.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const { agent, client, session, cwd, steps } = JSON.parse(process.argv[2]);
const program = `"${process.execPath}" bin/waymark.js`;
const server = spawn(process.execPath, ["bin/waymark.js", "mcp"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line);
  answers.get(id)?.(result);
});
let ids = 0;
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = ids++;
    answers.set(id, resolve);
    send({ id, method, params });
  });

await ask("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: client, version: "1" },
});
send({ method: "notifications/initialized" });
for (const { hook, input, call, meta } of steps) {
  let printed = "";
  if (hook) {
    const command = `sh bin/waymark-hook ${program} hook ${agent} ${hook}; true`;
    const json = JSON.stringify({ session_id: session, cwd, ...input });
    printed = spawnSync("/bin/sh", ["-c", command], { input: json, encoding: "utf8" }).stdout;
  } else {
    const params = { name: "todos", arguments: call, ...(meta && { _meta: meta }) };
    const { content } = await ask("tools/call", params);
    printed = content[0].text;
  }
  process.stdout.write(`${JSON.stringify(printed)}\n`);
}
server.stdin.end();
