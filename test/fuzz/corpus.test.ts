import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { failureOfGrowth, rangeOf } from "../../scripts/fuzz/growth.mjs";
import { FULL } from "../full.ts";

interface Target {
  fuzz(bytes: Buffer): void | Promise<void>;
}

const SECONDS = 30;
const TARGETS = readdirSync(join(import.meta.dirname, "targets")).map((file) =>
  basename(file, ".ts"),
);

describe.each(TARGETS)("%s", (name) => {
  test("accepts the inputs of its corpus", {
    tags: ["damaged-record", "bad-message"],
  }, async () => {
    const { fuzz } = (await import(`./targets/${name}.ts`)) as Target;
    const folder = join(import.meta.dirname, "corpus", name);
    const files = readdirSync(folder);
    expect(files).not.toEqual([]);
    for (const file of files) {
      const bytes = readFileSync(join(folder, file));
      const run = async (input: Buffer) => {
        await fuzz(input);
        return undefined;
      };
      const range = rangeOf(file);
      const failure = range ? await failureOfGrowth(run, bytes, range) : await run(bytes);
      expect({ file, failure }).toEqual({ file, failure: undefined });
    }
  });

  test("fails on no new input", { timeout: 300_000 }, ({ skip }) => {
    skip(!FULL, "runs for 30 s a target: npm run test:faults");
    const args = [
      "scripts/fuzz.mjs",
      name,
      "--seconds",
      String(SECONDS),
      "--seed",
      String(Date.now()),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(`${stdout}${stderr}`).toMatch(/inputs in/);
    expect(status).toBe(0);
  });
});
