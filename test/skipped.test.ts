import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, onTestFinished, test } from "vitest";
import { needs, reasonAgainst } from "./skipped.ts";
import { temporaryDirectory } from "./stores/temporary-directory.ts";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("sdk-heavy"))
  .map((file) => join("test", file));

const CALLS = /\.(?:skipIf|runIf|skip|todo)\(/;

/** Calls such as `test.skip(…)`. Texts that contain one, such as the sources of other tests, do not count. */
function callsWithoutReason(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  if (!CALLS.test(text)) return [];
  const found: string[] = [];
  const visitor = new Visitor({
    MemberExpression({ property, start, end }) {
      if (property.type !== "Identifier" || text[end] !== "(") return;
      const called = text.slice(start, end);
      // Other objects may have a method `todo`.
      const isOurs = property.name !== "todo" || /^(?:test|it|describe)\b/.test(called);
      if (isOurs && CALLS.test(`.${property.name}(`)) found.push(`${file}: ${called}`);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

test("requires a reason for every skipped test", () => {
  expect(files.flatMap(callsWithoutReason)).toEqual([]);
  const place = temporaryDirectory();
  const file = join(place, "skips.test.ts");
  const calls = ['test.skip("a")', 'it.skipIf(true)("b")', 'it.todo("c")', 'list.todo("d")'];
  writeFileSync(file, `${calls.join(";\n")};\nconst text = "it.skip()";\n`);
  const found = ["test.skip", "it.skipIf", "it.todo"].map((call) => `${file}: ${call}`);
  expect(callsWithoutReason(file)).toEqual(found);
});

test("takes the reason of the check, and none if it passes", async () => {
  expect(await reasonAgainst("birds", () => undefined)).toBe("");
  const refuses = () => Promise.reject(new Error("none here"));
  expect(await reasonAgainst("birds", refuses)).toBe("no birds: none here");
});

test("prints the reasons and their number of skipped tests", () => {
  const place = mkdtempSync(join(tmpdir(), "waymark-skipped-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const options = JSON.stringify(needs("no birds"));
  writeFileSync(
    join(place, "birds.test.js"),
    `const { describe, expect, test } = globalThis;
    test("runs", () => {});
    test("never runs", ${options}, () => expect(1).toBe(2));
    describe("suite", ${options}, () => test("never runs either", () => expect(1).toBe(2)));
    test("skips itself", ({ skip }) => skip("no fish"));
    test("runs, too", ${JSON.stringify(needs(""))}, () => {});`,
  );
  const reporter = resolve("test/skipped-reporter.ts");
  const args = ["run", "--root", place, "--globals", `--reporter=${reporter}`];
  const { status, stdout } = spawnSync(
    process.execPath,
    [resolve("node_modules/vitest/vitest.mjs"), ...args],
    { encoding: "utf8" },
  );
  expect([status, stdout]).toEqual([0, " Skipped\n      2  no birds\n      1  no fish\n\n"]);
});
