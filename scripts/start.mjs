// npm start: builds what is not built, then shows the agents of this machine, on the terminal and on a
// page; where none was ever run, a recorded team. Without a terminal: how everything stands, where the
// page is, then one line for each change.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale } from "./stale.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "bin/waymark.js");
const given = process.argv.slice(2);

if (isStale(root)) {
  console.error("Building, which takes a few seconds.");
  const build = [join(root, "scripts/build.mjs"), "--no-types"];
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 3);
}

const known = spawnSync(process.execPath, [program, "ls", "--json"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  maxBuffer: 256 * 1024 * 1024,
});
const isEmpty = known.status === 0 && JSON.parse(known.stdout).length === 0;
if (isEmpty) console.error("No agent has run here yet: this is a recorded team.");
follow([...(isEmpty ? ["demo"] : []), "--page", ...given]);

function follow(args) {
  const child = spawn(process.execPath, [program, ...args], { stdio: "inherit" });
  // Whoever ends this ends the program, which then gives the terminal back.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("close", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 3 : 1);
  });
}
