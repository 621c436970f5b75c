import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DIALECTS } from "../src/agents/index.ts";
import { TOOLS } from "../src/tools/index.ts";

const readme = readFileSync("README.md", "utf8");
const place = mkdtempSync(join(tmpdir(), "waymark-readme-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function blocks(language: string): string[] {
  return [...readme.matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, given]) => given === language)
    .map(([, , body]) => body ?? "");
}

it("every shell command of the README runs", () => {
  const bin = join(place, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "waymark"),
    `#!/bin/sh\nexec "${process.execPath}" "${resolve("bin/waymark.js")}" "$@"\n`,
  );
  chmodSync(join(bin, "waymark"), 0o755);
  writeFileSync(
    join(place, "events.jsonl"),
    `${JSON.stringify({ type: "turn.completed", eventId: "1", sessionId: "s", agentId: "main", agentType: "codex", timestamp: 1 })}\n`,
  );
  const script = blocks("sh").join("\n");
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: place,
    WAYMARK_HOME: join(place, "home"),
  };
  const ran = spawnSync("sh", ["-e", "-c", script], { cwd: place, env, encoding: "utf8" });
  const said = /^(?:session|Start any agent|Codex|Sessions of Codex|Nothing of Waymark) .*\n/gm;
  expect(`${ran.status} ${ran.stderr.replace(said, "")}`).toBe("0 ");
  expect(ran.stdout).toContain('2. [>] \\"Run the tests\\"');
}, 60_000);

it("the program in TypeScript runs and prints what it says", () => {
  const [program] = blocks("ts");
  const file = join(place, "demo.mjs");
  writeFileSync(
    file,
    (program ?? "").replace('"waymark"', JSON.stringify(resolve("dist/index.js"))),
  );
  const ran = spawnSync(process.execPath, [file], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toContain('1. [x] "Add the index"');
  expect(ran.stdout).toContain("# Your todo list");
});

it("every tool stands in the table of tools", () => {
  for (const { name } of TOOLS) expect(readme).toContain(`| \`${name}\``);
});

it("every dialect stands in the table of agents, with what it was proved against", () => {
  for (const { name, proof } of DIALECTS) expect(readme).toContain(`| ${name} | ${proof} |`);
});
