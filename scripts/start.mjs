// npm start: builds what is not built, then shows the agents of this machine, on the terminal and on a
// page; the recorded demo where no agent was ever run. Without a terminal: how everything stands, a link to
// the page, then one line for each change. Everything it says about itself goes to the standard error stream.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale } from "./stale.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "bin/waymark.js");
const given = process.argv.slice(2);

process.exitCode = await main();

async function main() {
  if (isStale(root)) {
    console.error("Building Waymark. This takes about 10 seconds, once.");
    const build = [join(root, "scripts/build.mjs"), "--no-types", "--progress"];
    const { code } = await run(build, { cwd: root, stdio: ["ignore", 2, 2] });
    if (code !== 0) return code;
  }
  console.error("Looking for agents on this machine.");
  const known = await run([program, "ls", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  if (known.signal) return known.code;
  const isEmpty = known.code === 0 && known.output.trim() === "[]";
  if (isEmpty) console.error("No agent has run here yet. Starting the demo, a recording.");
  const { code } = await run([program, ...(isEmpty ? ["demo"] : []), "--page", ...given], {
    stdio: "inherit",
  });
  return code;
}

/** Runs Node. Signals go to the child, which cleans up; this program ends after it. */
function run(args, options) {
  const child = spawn(process.execPath, args, options);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const handlers = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
    const forward = () => child.kill(signal);
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      for (const release of handlers) release();
      resolve({ code: code ?? (signal === null ? 3 : 1), signal, output });
    });
  });
}
