// Makes each mistake of test/planted.json in a copy of the project and requires its test to notice.
// `npm run test:planted -- ID …` tries only some.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const LEFT_OUT = new Set([".git", "node_modules", "dist", ".cache"]);

const all = JSON.parse(readFileSync(join(root, "test/planted.json"), "utf8"));
const asked = process.argv.slice(2);
const unknown = asked.filter((id) => !all.some((bug) => bug.id === id));
if (unknown.length > 0) {
  console.error(
    `No mistake is called ${unknown.join(", ")}. There are: ${all.map(({ id }) => id).join(", ")}.`,
  );
  process.exit(2);
}
const bugs = asked.length > 0 ? all.filter(({ id }) => asked.includes(id)) : all;

const copy = mkdtempSync(join(tmpdir(), "waymark-planted-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path)) });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");

/** How many tests of a gate ran, and how many of them failed. A program that cannot be built runs none. */
function runGate([file, name]) {
  const build = spawnSync(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: copy });
  if (build.status !== 0) return { passed: 0, failed: 0, isBroken: true };
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const exactly = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const args = ["node_modules/vitest/vitest.mjs", "run", file, "--bail=1", "--reporter=json"];
  const { stderr } = spawnSync(
    process.execPath,
    [...args, `--outputFile=${report}`, ...(exactly === "" ? [] : ["-t", exactly])],
    { cwd: copy, encoding: "utf8", env: { ...process.env, CI: "true" } },
  );
  try {
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    return { passed, failed };
  } catch (cause) {
    throw new Error(`${file} said nothing of its tests: ${stderr}`, { cause });
  }
}

const say = (text) =>
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
const rows = [];
const sound = new Map();
for (const [place, { id, what, file, from, to, gate }] of bugs.entries()) {
  say(`${place + 1} of ${bugs.length}: ${id}`);
  const began = performance.now();
  // A test that fails anyway, or does not exist, has noticed nothing.
  const key = gate.join(" ");
  if (!sound.has(key)) sound.set(key, runGate(gate));
  const before = sound.get(key);
  let verdict = "the test does not pass without it";
  if (before.failed === 0 && before.passed > 0) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    if (text.split(from).length !== 2) verdict = "the snippet is no longer in the source";
    else {
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
      const { failed, isBroken } = runGate(gate);
      verdict = isBroken
        ? "the program does not start with it"
        : failed > 0
          ? "caught"
          : "NOT CAUGHT";
      writeFileSync(path, text);
    }
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  rows.push({ id, what, gate: key, seconds, verdict });
  if (verdict !== "caught") say(`${id}: ${verdict}\n`);
}
say("");

const caught = rows.filter(({ verdict }) => verdict === "caught").length;
console.log("| mistake | what it does | noticed by | s | verdict |\n|---|---|---|---|---|");
for (const { id, what, gate, seconds, verdict } of rows)
  console.log(`| ${id} | ${what} | ${gate} | ${seconds} | ${verdict} |`);
console.log(`\n${caught} of ${rows.length} caught.`);
process.exitCode = caught === rows.length ? 0 : 1;
