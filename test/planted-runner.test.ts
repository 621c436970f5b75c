import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FULL } from "./full.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-runner-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A project with one function and one test that covers half of it. */
function layProject(): void {
  for (const dir of ["scripts", "src", "test"]) mkdirSync(join(root, dir));
  cpSync("scripts/test-planted.mjs", join(root, "scripts/test-planted.mjs"));
  symlinkSync(resolve("node_modules"), join(root, "node_modules"), "junction");
  const files = {
    "package.json": '{"type":"module"}',
    "scripts/build.mjs": "",
    "src/both.ts": "export const first = 1;\nexport const second = 2;\n",
    "test/both.test.ts":
      'import { expect, test } from "vitest";\nimport { first } from "../src/both.ts";\n' +
      'test("first", () => expect(first).toBe(1));\ntest("broken", () => expect(first).toBe(2));\n',
    "test/planted.json": JSON.stringify([
      { ...MISTAKE, id: "noticed", from: "first = 1", to: "first = 3" },
      { ...MISTAKE, id: "unnoticed", from: "second = 2", to: "second = 3" },
      { ...MISTAKE, id: "outdated", from: "third = 3", to: "third = 4" },
      { ...MISTAKE, id: "broken-test", from: "first = 1", to: "first = 3", gate: [TEST, "broken"] },
    ]),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
}

const TEST = "test/both.test.ts";
const MISTAKE = { what: "something", file: "src/both.ts", gate: [TEST, "first"] };

function run(...ids: string[]) {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/test-planted.mjs", ...ids], {
    cwd: root,
    encoding: "utf8",
  });
  const verdicts = stdout
    .split("\n")
    .filter((line) => /^\| (?!mistake|---)/.test(line))
    .map((line) => line.split(" | "))
    .map((cells) => [cells[0]?.slice(2), cells.at(-1)?.replace(/ \|$/, "")]);
  return { status, verdicts: Object.fromEntries(verdicts) };
}

test("fails on a mistake that no test notices or whose test is broken", {
  tags: ["vacuous-test"],
  timeout: 120_000,
}, () => {
  layProject();
  expect(run("unnoticed", "outdated")).toEqual({
    status: 1,
    verdicts: { unnoticed: "NOT CAUGHT", outdated: "the snippet is no longer in the source" },
  });
  expect(run("nobody")).toEqual({ status: 2, verdicts: {} });
  if (!FULL) return;
  expect(run("noticed")).toEqual({ status: 0, verdicts: { noticed: "caught" } });
  expect(run("noticed", "broken-test")).toEqual({
    status: 1,
    verdicts: { noticed: "caught", "broken-test": "the test does not pass without it" },
  });
});
