// Runs at full size every test file that has one, and every test that is named after a fault; then says what was tried.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULT_ROWS } from "./fault-rows.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const NAMED = /["'`](?:[A-Z]\d{1,2} )+/;
const IDS = /^((?:[A-Z]\d{1,2} )+)/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith("sdk-heavy"))
  .map((file) => join("test", file))
  .filter((file) => {
    const text = readFileSync(file, "utf8");
    return text.includes("/full.ts") || NAMED.test(text);
  });

const place = mkdtempSync(join(tmpdir(), "waymark-faults-"));
const output = join(place, "results.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
const { status } = spawnSync(
  "npx",
  ["vitest", "run", ...reporters, ...files, ...process.argv.slice(2)],
  {
    env: { ...process.env, WAYMARK_FULL: "1" },
    stdio: "inherit",
  },
);

/** Every test under each of the ids that its name begins with. */
function byId() {
  const rows = new Map();
  for (const { assertionResults } of JSON.parse(readFileSync(output, "utf8")).testResults)
    for (const test of assertionResults)
      for (const id of IDS.exec(test.title)?.[1].trim().split(" ") ?? [])
        rows.set(id, [...(rows.get(id) ?? []), test]);
  return rows;
}

function verdictOf(tests) {
  if (tests.some((test) => test.status === "failed")) return "FAILED";
  const passed = tests.filter((test) => test.status === "passed").length;
  if (passed === 0) return "skipped";
  return passed === tests.length ? "passed" : `passed, ${tests.length - passed} skipped`;
}

function printTable() {
  const rows = byId();
  const line = (id, what, tests, seconds, verdict) =>
    console.log(
      [id.padEnd(4), what.padEnd(62), tests.padStart(5), seconds.padStart(9), ` ${verdict}`].join(
        " ",
      ),
    );
  console.log();
  line("id", "what goes wrong", "tests", "seconds", "verdict");
  const all = Object.entries(FAULT_ROWS);
  for (const [id, what] of all) {
    const tests = rows.get(id) ?? [];
    if (tests.length === 0) continue;
    const time = tests.reduce((sum, test) => sum + (test.duration ?? 0), 0) / 1_000;
    line(id, what, String(tests.length), time.toFixed(1), verdictOf(tests));
  }
  const untested = all.filter(([id]) => !rows.has(id));
  const rest = untested.length === 0 ? "" : " Not tested by name:";
  console.log(
    `\n${all.length - untested.length} of ${all.length} rows have a test of their name.${rest}`,
  );
  for (const [id, what] of untested) line(id, what, "", "", "not tested");
}

try {
  printTable();
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.exitCode = status ?? 1;
