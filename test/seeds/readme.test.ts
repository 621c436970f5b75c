import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

const rows = readFileSync(join(ROOT, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\|.*`.*\.test\.ts`/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

it("maps all five seeds", () => {
  const mapped = readFileSync(join(ROOT, "README.md"), "utf8").match(/^### Seed 00\d/gm);
  expect(mapped).toEqual(["000", "001", "002", "003", "004"].map((seed) => `### Seed ${seed}`));
});

it("the table of tests names existing tests", () => {
  const missing = rows.flatMap((cells) => {
    const files = cells.join().match(/[\w/.-]+\.test\.ts/g) ?? [];
    const name = cells.length === 6 ? (cells[4] ?? "") : "";
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
