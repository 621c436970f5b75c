import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FULL } from "../full.ts";
import type { FollowResult } from "./bounds-worker.ts";

const MB = 1024 * 1024;
const LONG = (FULL ? 1024 : 128) * MB;
const LEVELS = 2_000_000;
/** Lists before the unreadable part, and as many after it. */
const GOOD = 100;
const PATIENCE = FULL ? 120_000 : 40_000;
const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";

let bundle = "";
beforeAll(async () => {
  bundle = join(mkdtempSync(join(tmpdir(), "waymark-bounds-")), "worker.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("bounds-worker.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    logLevel: "warning",
  });
});
afterAll(() => rmSync(dirname(bundle), { recursive: true, force: true }));

/** The two lines of one accepted list. */
function write(number: number): string {
  const at = new Date(Date.UTC(2026, 10, 15) + number * 1_000).toISOString();
  const todos = [{ content: `Todo ${number}`, status: "pending", activeForm: "Working" }];
  const id = `toolu_${number}`;
  const base = { sessionId: SESSION, isSidechain: false, timestamp: at, cwd: "/home/dev/demo" };
  const call = { type: "tool_use", id, name: "TodoWrite", input: { todos } };
  const result = { type: "tool_result", tool_use_id: id, content: "ok" };
  const message = { id: `m${number}`, role: "assistant", model: "opus", content: [call] };
  const answer = { role: "user", content: [result] };
  return [
    { ...base, type: "assistant", message, uuid: `a${number}` },
    {
      ...base,
      type: "user",
      message: answer,
      toolUseResult: { newTodos: todos },
      uuid: `u${number}`,
    },
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");
}

/** Follows a folder in which a session with hostile content appears. */
function followed(terrible: (put: (bytes: string | Buffer) => void) => void): FollowResult {
  const home = mkdtempSync(join(tmpdir(), "waymark-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, ".claude", "projects", "-home-dev-demo");
  mkdirSync(folder, { recursive: true });
  const prepared = join(home, "prepared.jsonl");
  const handle = openSync(prepared, "w");
  const put = (bytes: string | Buffer) => {
    if (typeof bytes === "string") writeSync(handle, bytes);
    else writeSync(handle, bytes, 0, bytes.length);
  };
  for (let number = 1; number <= GOOD; number++) put(write(number));
  terrible(put);
  for (let number = GOOD + 1; number <= 2 * GOOD; number++) put(write(number));
  closeSync(handle);
  const session = join(folder, `${SESSION}.jsonl`);
  const args = [bundle, home, prepared, session, String(2 * GOOD), String(PATIENCE)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

const READ = { writes: 2 * GOOD, last: [`pending Todo ${2 * GOOD}`] };
/** A parser would block for seconds, and a buffer would need as much memory as the line. */
const MAX_BLOCKED = 200;
const MAX_GROWN = 64;

/** The beginning of a line that is searched for a list. */
const OPENING = `{"type":"assistant","sessionId":"${SESSION}","name":"TodoWrite","content":`;

describe("reads a session to its end without blocking, in bounded memory, past", () => {
  const expectBounded = ({ blocked, grown, ...read }: FollowResult, tooLarge: number) => {
    expect(read).toEqual({ ...READ, tooLarge });
    expect(blocked).toBeLessThan(MAX_BLOCKED);
    expect(grown).toBeLessThan(MAX_GROWN);
  };

  test(`a line of ${LONG / MB} MB`, { tags: ["endless-line"], timeout: 2 * PATIENCE }, () => {
    const part = Buffer.alloc(8 * MB, "x");
    const found = followed((put) => {
      put(`${OPENING}"`);
      for (let written = 0; written < LONG; written += part.length) put(part);
      put('"}\n');
    });
    expectBounded(found, 1);
  });

  test(`a line of ${LEVELS} levels`, { tags: ["deep-record"], timeout: 2 * PATIENCE }, () => {
    const found = followed((put) => {
      put(`${OPENING}${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}}\n`);
    });
    expectBounded(found, 1);
  });

  test("a hundred lines of 200,000 levels that are never closed", {
    tags: ["deep-record"],
    timeout: 2 * PATIENCE,
  }, () => {
    const found = followed((put) => {
      for (let count = 0; count < 100; count++) put(`${OPENING}${'{"a":'.repeat(200_000)}\n`);
    });
    expectBounded(found, 100);
  });
});
