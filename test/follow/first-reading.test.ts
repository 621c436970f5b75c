import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FirstReading } from "./first-reading-worker.ts";

const FILES = 200;
const WRITES = 60;
/** Whatever else the program does must not wait longer. */
const MAX_BLOCKED = 200;

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-first-"));
  await build({
    entryPoints: [fileURLToPath(new URL("first-reading-worker.ts", import.meta.url))],
    outfile: join(folder, "worker.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    logLevel: "warning",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sessionOf = (file: number) => `00000000-0000-4000-8000-${String(file).padStart(12, "0")}`;

/** A session of about half a megabyte: lists, and between them what tools printed. */
function sessionText(session: string): string {
  const base = { sessionId: session, isSidechain: false, cwd: "/home/dev/demo" };
  return Array.from({ length: WRITES }, (_, count) => {
    const timestamp = new Date(Date.UTC(2026, 10, 15) + count * 1_000).toISOString();
    const id = `toolu_${count}`;
    const todos = [{ content: `Todo ${count}`, status: "pending", activeForm: "Working" }];
    const call = { type: "tool_use", id, name: "TodoWrite", input: { todos } };
    const message = { id: `m${count}`, role: "assistant", model: "opus", content: [call] };
    const content = [{ type: "tool_result", tool_use_id: id, content: "ok" }];
    const printed = { stdout: "printed by a tool ".repeat(500) };
    return [
      { ...base, timestamp, type: "assistant", message, uuid: `a${count}` },
      {
        ...base,
        timestamp,
        type: "user",
        message: { role: "user", content },
        toolUseResult: { newTodos: todos },
        uuid: `u${count}`,
      },
      { ...base, timestamp, type: "user", toolUseResult: printed, uuid: `p${count}` },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join("");
  }).join("");
}

test("many sessions are read without blocking, the newest first", { timeout: 120_000 }, () => {
  const home = join(folder, "home");
  const project = join(home, ".claude", "projects", "-home-dev-demo");
  mkdirSync(project, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const path = join(project, `${sessionOf(file)}.jsonl`);
    writeFileSync(path, sessionText(sessionOf(file)));
    utimesSync(path, 1_790_000_000 + file, 1_790_000_000 + file);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "worker.mjs"), home],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const { blocked, early, ...read }: FirstReading = JSON.parse(stdout);
  expect(read).toEqual({
    tracks: FILES,
    writes: FILES * WRITES,
    first: [sessionOf(FILES - 1)],
    files: FILES,
  });
  expect(early).toBeGreaterThan(0);
  expect(early).toBeLessThan(FILES);
  expect(blocked).toBeLessThan(MAX_BLOCKED);
});
