// npm run test:faults: runs every test file that has a full size, and every test that is tagged with a fault, at full size. Then
// prints a table of all faults.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULTS } from "./faults.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const TAGGED = /\btags: \[/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith("sdk-heavy"))
  .map((file) => join("test", file))
  .filter((file) => {
    const text = readFileSync(file, "utf8");
    return text.includes("/full.ts") || TAGGED.test(text);
  });

const dir = mkdtempSync(join(tmpdir(), "waymark-faults-"));
const output = join(dir, "results.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
const { status } = spawnSync(
  "npx",
  ["vitest", "run", ...reporters, ...files, ...process.argv.slice(2)],
  {
    env: { ...process.env, WAYMARK_FULL: "1" },
    stdio: "inherit",
  },
);

/** The tests by fault. */
function byFault() {
  const rows = new Map();
  for (const { assertionResults } of JSON.parse(readFileSync(output, "utf8")).testResults)
    for (const test of assertionResults)
      for (const tag of test.tags ?? []) rows.set(tag, [...(rows.get(tag) ?? []), test]);
  return rows;
}

function verdictOf(tests) {
  if (tests.some((test) => test.status === "failed")) return "FAILED";
  const passed = tests.filter((test) => test.status === "passed").length;
  if (passed === 0) return "skipped";
  return passed === tests.length ? "passed" : `passed, ${tests.length - passed} skipped`;
}

function printTable() {
  const rows = byFault();
  const line = (fault, what, tests, seconds, verdict) =>
    console.log(
      [
        fault.padEnd(26),
        what.padEnd(72),
        tests.padStart(5),
        seconds.padStart(9),
        ` ${verdict}`,
      ].join(" "),
    );
  console.log();
  line("fault", "what goes wrong", "tests", "seconds", "verdict");
  const all = Object.entries(FAULTS);
  for (const [fault, what] of all) {
    const tests = rows.get(fault) ?? [];
    if (tests.length === 0) continue;
    const time = tests.reduce((sum, test) => sum + (test.duration ?? 0), 0) / 1_000;
    line(fault, what, String(tests.length), time.toFixed(1), verdictOf(tests));
  }
  const untested = all.filter(([fault]) => !rows.has(fault));
  const rest = untested.length === 0 ? "" : " Without a test:";
  console.log(`\n${all.length - untested.length} of ${all.length} faults have a test.${rest}`);
  for (const [fault, what] of untested) line(fault, what, "", "", "not tested");
}

try {
  printTable();
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exitCode = status ?? 1;
