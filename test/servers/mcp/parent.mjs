// An agent: starts the command after "--" with pipes, says hello to the server in it, tells the
// number of the server's process when it has answered, and waits to be killed.
import { spawn } from "node:child_process";

const [command, ...args] = process.argv.slice(process.argv.indexOf("--") + 1);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const clientInfo = { name: "parent", version: "1" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
child.stdout.once("data", () => process.stdout.write(`${child.pid}\n`));
setInterval(() => undefined, 60_000);
