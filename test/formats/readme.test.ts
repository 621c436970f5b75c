import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

const rows = readFileSync(join(ROOT, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\|.*`.*\.test\.ts`/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

it("maps all five formats", () => {
  const mapped = readFileSync(join(ROOT, "README.md"), "utf8").match(/^### .*/gm);
  expect(mapped).toEqual([
    "### gencode: TodoWrite",
    "### oh-my-pi: the op tool",
    "### agent-chatter: the display",
    "### Claude Code: TodoWrite",
    "### Progress displays compared",
  ]);
});

it("the table of tests names existing tests", () => {
  const missing = rows.flatMap((cells) => {
    const files = cells.join().match(/[\w/.-]+\.test\.ts/g) ?? [];
    const name = cells.length === 5 ? (cells[3] ?? "") : "";
    return files
      .filter((file) => {
        const path = join(ROOT, file);
        return !existsSync(path) || !readFileSync(path, "utf8").includes(`"${name}`);
      })
      .map((file) => `${file}: ${name}`);
  });
  expect(rows.length).toBeGreaterThan(140);
  expect(missing).toEqual([]);
});
