import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs, reasonAgainst } from "./skipped.ts";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("sdk-heavy"))
  .map((file) => join("test", file));

test("requires a reason for every skipped test", () => {
  const bare = /\.(?:skipIf|runIf|skip|todo)\(/;
  const isBare = (file: string) =>
    file !== join("test", "skipped.test.ts") && bare.test(readFileSync(file, "utf8"));
  expect(files.filter(isBare)).toEqual([]);
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
