import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_LINKS, hashOf, readDefinition } from "../../src/checks/definition.ts";
import { readProvided } from "../../src/checks/provided.ts";
import { suggestCheck } from "../../src/checks/suggest-check.ts";
import { temporaryDirectory, writeFiles } from "../git/repositories.ts";

function provided(files: Readonly<Record<string, string>>) {
  const root = temporaryDirectory();
  writeFiles(root, files);
  return readProvided(root);
}

const TEST = { name: "test", command: "npm test", timeoutMs: 600_000, directory: "" };

test.each([
  '[checks]\ntest = "npm test"',
  '[checks.test]\ncommand = "npm test"',
  'test = "npm test"',
  '[test]\ncommand = " npm test "\ntimeout = "10m"\ndirectory = "./"',
  '[[checks]]\nname = "test"\ncommand = "npm test"',
])("reads %j", (text) => {
  const { checks, problems } = provided({ ".waymark/checks.toml": text });
  expect(problems).toEqual([]);
  expect(checks).toEqual([{ ...TEST, links: DEFAULT_LINKS, file: ".waymark/checks.toml" }]);
});

test("reads package.json; the first definition of a name counts", () => {
  const { checks } = provided({
    ".waymark/checks.toml": 'test = "make test"',
    "package.json": JSON.stringify({
      waymark: {
        checks: { test: "npm test", e2e: { command: "x", timeout: "1h", directory: "a/b" } },
      },
    }),
  });
  expect(checks).toMatchObject([
    { name: "test", command: "make test", file: ".waymark/checks.toml" },
    { name: "e2e", timeoutMs: 3_600_000, directory: "a/b", file: "package.json" },
  ]);
});

test.each([
  [1, "Write a command"],
  [{}, "The command is missing."],
  [{ command: "" }, "The command is empty."],
  [{ command: "a\nb" }, "The command contains U+000A"],
  [{ command: "a \u202e b" }, "The command contains U+202E"],
  [{ command: "a".repeat(5_000) }, "at most 4000"],
  [{ command: "a", timeout: "soon" }, "Invalid timeout"],
  [{ command: "a", timeout: "25h" }, "Invalid timeout"],
  [{ command: "a", directory: "../b" }, "Invalid directory"],
  [{ command: "a", directory: "/etc" }, "Invalid directory"],
  [{ command: "a", links: ["../x"] }, "Invalid links"],
  [{ command: "a", links: "x" }, "Invalid links"],
])("refuses %j", (value, why) => {
  expect(readDefinition("test", value)).toContain(why);
});

test("damaged, hostile and linked files are problems, not failures", () => {
  expect(provided({ ".waymark/checks.toml": "= =" })).toMatchObject({
    checks: [],
    problems: [expect.stringContaining(".waymark/checks.toml: ")],
  });
  expect(provided({ "package.json": '{"waymark":{"checks":7}}' }).problems).toHaveLength(1);
  expect(provided({ "package.json": "[1" }).problems).toHaveLength(1);
  expect(provided({ ".waymark/checks.toml": '"../x" = "true"\n__proto__ = "true"' })).toMatchObject(
    {
      checks: [],
      problems: [expect.stringContaining("Invalid name"), expect.stringContaining("Invalid name")],
    },
  );
  const root = temporaryDirectory();
  mkdirSync(join(root, ".waymark"));
  symlinkSync("/etc/passwd", join(root, ".waymark/checks.toml"));
  expect(readProvided(root).problems).toEqual([
    ".waymark/checks.toml is not a regular file of at most 1 MiB.",
  ]);
});

test("every field of a definition is part of its hash", () => {
  const check = { ...TEST, links: DEFAULT_LINKS };
  const changed = [
    { name: "t" },
    { command: "npm t" },
    { timeoutMs: 1 },
    { directory: "a" },
    { links: [] },
  ].map((each) => hashOf({ ...check, ...each }));
  expect(new Set([hashOf(check), ...changed]).size).toBe(6);
});

test.each([
  [{ "package.json": '{"scripts":{"test":"vitest"}}' }, "npm test"],
  [{ "package.json": '{"scripts":{"check":"tsc"}}' }, "npm run check"],
  [{ "package.json": '{"scripts":{"test":"vitest"}}', "pnpm-lock.yaml": "" }, "pnpm test"],
  [
    { "package.json": '{"scripts":{"test":"echo no test specified"}}', "go.mod": "" },
    "go test ./...",
  ],
  [{ Makefile: "all:\ntest: all\n" }, "make test"],
  [{ "Cargo.toml": "" }, "cargo test"],
  [{ "pyproject.toml": "" }, "python -m pytest"],
  [{ "readme.md": "" }, undefined],
])("suggests a check for %j", (files, command) => {
  const root = temporaryDirectory();
  writeFiles(root, files);
  expect(suggestCheck(root)).toBe(command);
});
