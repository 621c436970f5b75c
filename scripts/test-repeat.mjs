// npm run test:repeat -- [RUNS] TEST_PATH... [--load N] [VITEST_OPTION...]
// Repeats test files, beside N busy processes if asked, and prints how often each of them failed.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const { runs, load, rest } = parse(process.argv.slice(2));
if (rest.length === 0) {
  console.error("Usage: npm run test:repeat -- [RUNS] TEST_PATH... [--load N] [VITEST_OPTION...]");
  process.exit(2);
}

const place = mkdtempSync(join(tmpdir(), "waymark-repeat-"));
const busy = Array.from({ length: load }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
);
let running;
process.on("exit", () => {
  running?.kill();
  for (const child of busy) child.kill("SIGKILL");
});
// Ctrl+C stops early and prints the counts so far.
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    printTable();
    process.exit(130);
  });

/** One row for each test file: how often it ran and failed, and which of its tests failed. */
const rows = new Map();
let failedRuns = 0;
for (let run = 1; run <= runs; run++) {
  const failed = await runOnce(run);
  if (failed) failedRuns += 1;
  console.log(`run ${run} of ${runs}: ${failed ? "FAILED" : "passed"}`);
}
printTable();
if (failedRuns === 0) rmSync(place, { recursive: true, force: true });
else console.log(`\nOutput of the failed runs: ${place}`);
// The busy processes would keep this one alive.
process.exit(failedRuns === 0 ? 0 : 1);

function parse(args) {
  const rest = [...args];
  const at = rest.indexOf("--load");
  const load = at === -1 ? 0 : Number(rest.splice(at, 2)[1]);
  const runs = /^\d+$/.test(rest[0] ?? "") ? Number(rest.shift()) : 30;
  if (!Number.isInteger(load)) throw new Error("--load takes the number of busy processes.");
  return { runs, load, rest };
}

async function runOnce(run) {
  const report = join(place, `${run}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status, output } = await vitest([...reporters, ...rest]);
  const results = read(report);
  for (const { name, status: verdict, assertionResults } of results) {
    const file = relative(root, name);
    const row = rows.get(file) ?? { runs: 0, failures: 0, tests: new Map() };
    rows.set(file, row);
    row.runs += 1;
    if (verdict !== "failed") continue;
    row.failures += 1;
    for (const { status: each, fullName } of assertionResults)
      if (each === "failed") row.tests.set(fullName, (row.tests.get(fullName) ?? 0) + 1);
  }
  rmSync(report, { force: true });
  // A run that ended without a report is a failure as well: the output says why.
  const failed = status !== 0 || results.length === 0;
  if (failed) writeFileSync(join(place, `${run}.log`), output);
  return failed;
}

function read(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    return [];
  }
}

function vitest(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    running = child;
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output: Buffer.concat(output) }));
  });
}

function printTable() {
  const width = Math.max(4, ...[...rows.keys()].map((file) => file.length));
  const line = (file, count, failures) =>
    console.log(`${file.padEnd(width)} ${count.padStart(5)} ${failures.padStart(9)}`);
  console.log();
  line("file", "runs", "failures");
  for (const [file, row] of [...rows].sort()) {
    line(file, String(row.runs), String(row.failures));
    for (const [test, count] of row.tests) console.log(`    ${count}x ${test}`);
  }
}
