import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

const rows = readFileSync(join(ROOT, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\|.*`.*\.test\.ts`/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

const SYSTEMS = [
  "gencode",
  "oh-my-pi",
  "agent-chatter",
  "Claude Code",
  "Codex",
  "OpenClaw",
  "Hermes",
];

it("maps all five seeds, and docs/seeds.md has a section for each system", () => {
  const mapped = readFileSync(join(ROOT, "README.md"), "utf8").match(/^### Seed 00\d/gm);
  expect(mapped).toEqual(["000", "001", "002", "003", "004"].map((seed) => `### Seed ${seed}`));
  const docs = readFileSync(join(ROOT, "../docs/seeds.md"), "utf8");
  const sections = [...docs.matchAll(/^## (.+?)(?: \(.*)?$/gm)].map(([, name]) => name);
  expect(sections).toEqual(SYSTEMS);
});

it("docs/seeds.md names settings and options that exist", () => {
  const docs = readFileSync(join(ROOT, "../docs/seeds.md"), "utf8");
  const named = new Set(docs.match(/WAYMARK_[A-Z_]+|--[a-z][a-z-]+/g));
  const help = readFileSync(join(ROOT, "../src/cli/args/help.ts"), "utf8");
  const commands = readdirSync(join(ROOT, "../src/cli"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(ROOT, "../src/cli", file), "utf8"))
    .join("\n");
  const missing = [...named].filter((name) =>
    name.startsWith("--")
      ? !new RegExp(`(?:^|[\\s{"])${name.slice(2)}"?: (?:\\{|[A-Z])`, "m").test(commands)
      : !help.includes(`"${name}"`),
  );
  expect(missing).toEqual([]);
});

it("the table of tests names tests that are there", () => {
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
