// Counts the source files that four common paths run through, for the tour in ARCHITECTURE.md.
//   node scripts/walk.mjs [--list] [--postgres URL]
// A file counts if one of its functions ran; loading it is not enough.
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values } = parseArgs({
  options: { list: { type: "boolean" }, postgres: { type: "string" } },
});
const dir = mkdtempSync(join(tmpdir(), "waymark-walk-"));
process.once("exit", () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
const coverage = join(dir, "coverage");
const program = join(dir, "dist", "run.cjs");
const env = {
  PATH: process.env.PATH,
  HOME: dir,
  WAYMARK_HOME: join(dir, "waymark"),
  NODE_V8_COVERAGE: coverage,
};
const modules = await bundleProgram();

const todos = ["Build", "Test"].map((content) => ({
  content,
  status: "pending",
  activeForm: content,
}));
report(
  "waymark tool TodoWrite",
  run(["tool", "TodoWrite", "--session", "s1"], JSON.stringify({ todos })),
);
const started = { session_id: "s1", source: "compact", cwd: dir };
report("a hook to a reminder", run(["hook", "claude", "SessionStart"], JSON.stringify(started)));
if (values.postgres !== undefined) {
  run(["task", "add", "Fix", "--store", values.postgres]);
  report(
    "a claim on PostgreSQL",
    run(["task", "claim", "--as", "ann", "--store", values.postgres]),
  );
}
report("a Codex transcript line to the page", await lineToPage());

function report(path, files) {
  console.log(`${String(files.length).padStart(3)} ${path}`);
  if (values.list) for (const file of files) console.log(`      ${file}`);
}

/** One readable file, whose comments say which module each part comes from. */
async function bundleProgram() {
  const file = join(dir, "dist", "cli.cjs");
  const outside = ["libsql", "vitest", "pg-native", "ai"];
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: outside,
    mainFields: ["module", "main"],
    logLevel: "error",
    entryPoints: ["src/cli/main.ts"],
    outfile: file,
    loader: { ".sql": "text" },
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "HERE" },
    banner: { js: 'const HERE = require("node:url").pathToFileURL(__filename).href;' },
  });
  copyFileSync("package.json", join(dir, "package.json"));
  symlinkSync(resolve("node_modules"), join(dir, "node_modules"));
  symlinkSync(resolve("dist/web"), join(dir, "dist", "web"));
  writeFileSync(
    program,
    `process.on("SIGUSR2", () => require("node:v8").takeCoverage());
     require("./cli.cjs").main(process.argv.slice(2)).then((code) => { process.exitCode = code; });`,
  );
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+|[a-z-]+:\S+)$/gm)].map(
    ({ index, 1: path }) => ({ index, path }),
  );
}

/** Initialization of a module is a function too, named by its path. */
function filesRun() {
  const found = new Set();
  for (const name of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), "utf8")).result)
      if (url.endsWith("/dist/cli.cjs"))
        for (const { functionName, ranges } of functions) {
          const [{ count, startOffset }] = ranges;
          if (count === 0 || startOffset === 0 || /^(?:src|node_modules)\//.test(functionName))
            continue;
          const path = modules.findLast(({ index }) => index <= startOffset)?.path;
          if (path?.startsWith("src/")) found.add(path);
        }
  return [...found].sort();
}

function run(args, input = "") {
  rmSync(coverage, { recursive: true, force: true });
  const options = { env, input, encoding: "utf8", cwd: dir };
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], options);
  if (status !== 0) throw new Error(`waymark ${args.join(" ")} ended with ${status}: ${stderr}`);
  return filesRun();
}

/**
 * The code that runs in the server between a new line of a session file and the update that a page
 * receives.
 */
async function lineToPage() {
  const id = "019a0000-0000-7000-8000-000000000001";
  const folder = join(dir, ".codex", "sessions", "2026", "01", "01");
  const path = join(folder, `rollout-2026-01-01T00-00-00-${id}.jsonl`);
  const line = (type, payload) =>
    `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, line("session_meta", { id, cwd: dir, cli_version: "0.50.0" }));
  emptyCoverage();
  const args = [program, "serve", "--port", "0", "--no-open", "--json"];
  const server = spawn(process.execPath, args, { env, cwd: dir, stdio: ["ignore", "pipe", 2] });
  try {
    let printed = "";
    server.stdout.on("data", (data) => {
      printed += data;
    });
    await until(() => printed.includes("\n"), "the server starts");
    const { url, token } = JSON.parse(printed);
    const { body } = await fetch(new URL("/api/events", url), {
      headers: { authorization: `Bearer ${token}` },
    });
    let received = "";
    const reader = body.getReader();
    void (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        received += Buffer.from(value);
      }
    })().catch(() => {});
    await until(() => received.length > 0, "the page is connected");
    server.kill("SIGUSR2");
    await until(hasCoverage, "the coverage so far is written");
    emptyCoverage();
    const call = { type: "function_call", name: "update_plan", call_id: "c1" };
    const plan = JSON.stringify({ plan: [{ step: "Walk", status: "in_progress" }] });
    const output = { type: "function_call_output", call_id: "c1", output: "Plan updated" };
    const lines = [{ ...call, arguments: plan }, output].map((each) => line("response_item", each));
    appendFileSync(path, lines.join(""));
    await until(() => received.includes("Walk"), "the page receives the line");
    server.kill("SIGUSR2");
    await until(hasCoverage, "the coverage is written");
    await reader.cancel();
    return filesRun();
  } finally {
    server.kill();
  }
}

function emptyCoverage() {
  rmSync(coverage, { recursive: true, force: true });
  mkdirSync(coverage);
}

function hasCoverage() {
  return readdirSync(coverage).some((name) => readFileSync(join(coverage, name)).at(-1) === 125);
}

async function until(isTrue, what) {
  for (let tries = 0; tries < 200; tries++) {
    if (isTrue()) return;
    await pause(100);
  }
  throw new Error(`Waited 20 s, but not: ${what}`);
}
