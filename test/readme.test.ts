import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";

const readme = readFileSync("README.md", "utf8");
const dir = mkdtempSync(join(tmpdir(), "waymark-readme-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("runs its program and prints the documented output", () => {
  const [, program = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = join(dir, "demo.mjs");
  writeFileSync(file, program.replace('"waymark"', JSON.stringify(resolve("dist/index.js"))));
  const ran = spawnSync(process.execPath, [file], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toContain('1 [x] "Add the index"');
  expect(ran.stdout).toContain("# Todo list");
});

it("is short, with paragraphs of at most five lines", () => {
  expect(readme.split("\n").length).toBeLessThan(220);
  const paragraphs = readme.split("\n\n").filter((part) => /^\w/.test(part));
  expect(paragraphs.filter((part) => part.split("\n").length > 5)).toEqual([]);
});
