import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FULL } from "../full.ts";
import type { FirstReading } from "./first-scan-worker.ts";

const FILES = FULL ? 10_000 : 200;
const WRITES = FULL ? 3 : 60;
/** Megabytes of tool output in the oldest session. */
const LONG = FULL ? 1_024 : 1;
/** Longest time the event loop may be blocked; discovering ten thousand files takes a while. */
const MAX_BLOCKED = FULL ? 1_000 : 200;
const MAX_WAIT = FULL ? 2_000 : 20_000;
const MAX_MEMORY = 300;
const MAX_HANDLES = 256;

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-first-"));
  await build({
    entryPoints: [fileURLToPath(new URL("first-scan-worker.ts", import.meta.url))],
    outfile: join(folder, "worker.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    logLevel: "warning",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

const sessionOf = (file: number) => `00000000-0000-4000-8000-${String(file).padStart(12, "0")}`;

/** A session of about half a megabyte: lists with tool output in between. */
function sessionText(session: string, writes: number): string {
  const base = { sessionId: session, isSidechain: false, cwd: "/home/dev/demo" };
  return Array.from({ length: writes }, (_, count) => {
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

test(`${FILES} sessions are scanned newest first, without blocking, in bounded memory`, {
  tags: ["huge-sessions"],
  timeout: 240_000,
}, () => {
  const home = join(folder, "home");
  const project = join(home, ".claude", "projects", "-home-dev-demo");
  mkdirSync(project, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const path = join(project, `${sessionOf(file)}.jsonl`);
    writeFileSync(path, sessionText(sessionOf(file), WRITES));
    if (file === 0) {
      const printed = `{"sessionId":"${sessionOf(0)}","type":"user","toolUseResult":{"stdout":"`;
      const text = `${printed}${"x".repeat(16_000)}"}}\n`.repeat(64);
      for (let n = 0; n < LONG; n++) appendFileSync(path, text);
    }
    utimesSync(path, 1_790_000_000 + file, 1_790_000_000 + file);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "worker.mjs"), home],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const { blocked, early, waited, memory, handles, writes, ...read }: FirstReading =
    JSON.parse(stdout);
  expect(read).toEqual({
    tracks: FILES,
    first: [sessionOf(FILES - 1)],
    files: FILES,
  });
  // The calls of a long file are counted only by a full read.
  expect(writes).toBeGreaterThanOrEqual((FILES - 1) * WRITES);
  expect(early).toBeGreaterThan(0);
  expect(early).toBeLessThan(FILES);
  expect(blocked).toBeLessThan(MAX_BLOCKED);
  expect(waited).toBeLessThan(MAX_WAIT);
  expect(memory).toBeLessThan(MAX_MEMORY);
  expect(handles).toBeLessThan(MAX_HANDLES);
});
