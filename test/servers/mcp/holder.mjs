// Stands between an agent and the server as some launchers do: starts the command after "--" with
// an input of its own, holds that open for ever, and does not care who started it.
import { spawn } from "node:child_process";

const [command, ...args] = process.argv.slice(process.argv.indexOf("--") + 1);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (chunk) => child.stdin.write(chunk));
process.stdin.on("error", () => undefined);
process.stdout.on("error", () => undefined);
child.stdout.on("data", (chunk) => process.stdout.write(chunk));
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => undefined);
child.on("exit", () => process.exit());
setInterval(() => undefined, 60_000);
