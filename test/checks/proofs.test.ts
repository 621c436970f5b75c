import { appendFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendProofs, proofsVersion, readProofs } from "../../src/checks/proofs.ts";
import type { ProofRecord } from "../../src/core/checks/proof.ts";
import { temporaryDirectory } from "../git/repositories.ts";

function proof(session: string, at: number, output = ""): ProofRecord {
  return {
    id: { session, agent: "main" },
    todo: { id: "1", text: "Fix the parser" },
    check: "test",
    command: "npm test",
    ok: true,
    exitCode: 0,
    at,
    durationMs: 1,
    tree: "a",
    machine: "m",
    warnings: [],
    output,
  };
}

test("keeps proofs in order, by session", async () => {
  const home = temporaryDirectory();
  expect(readProofs(home)).toEqual([]);
  expect(proofsVersion(home)).toBe("");
  await appendProofs(home, [proof("a", 1), proof("b", 2)]);
  const version = proofsVersion(home);
  await appendProofs(home, [proof("a", 3)]);
  expect(proofsVersion(home)).not.toBe(version);
  expect(readProofs(home, "a").map(({ at }) => at)).toEqual([1, 3]);
  expect(readProofs(home).map(({ at }) => at)).toEqual([1, 3, 2]);
});

test("session ids of any form become safe file names", async () => {
  const home = temporaryDirectory();
  const sessions = ["../../escape", "a/b", "A B", "con", "x".repeat(300), "ü"];
  await appendProofs(
    home,
    sessions.map((session, at) => proof(session, at)),
  );
  expect(readdirSync(home)).toEqual(["proofs"]);
  for (const [at, session] of sessions.entries())
    expect(readProofs(home, session)).toMatchObject([{ at }]);
});

test("skips damaged lines, also half a line before an appended one", async () => {
  const home = temporaryDirectory();
  await appendProofs(home, [proof("a", 1)]);
  const file = join(home, "proofs", "s-a.jsonl");
  appendFileSync(file, '{"id":7}\nnull\n{"id":{"session":"a"');
  await appendProofs(home, [proof("a", 2)]);
  expect(readProofs(home, "a").map(({ at }) => at)).toEqual([1, 2]);
});

test("a file stays below its limit and keeps the newest proofs", async () => {
  const home = temporaryDirectory();
  const output = "x".repeat(100_000);
  for (let at = 0; at < 25; at++) await appendProofs(home, [proof("a", at, output)]);
  expect(statSync(join(home, "proofs", "s-a.jsonl")).size).toBeLessThan(1.3 * 1024 * 1024);
  expect(readProofs(home, "a").at(-1)?.at).toBe(24);
  expect(readProofs(home, "a").length).toBeGreaterThan(3);
});

test("two writers lose no proof", async () => {
  const home = temporaryDirectory();
  const times = Array.from({ length: 20 }, (_, at) => at);
  await Promise.all(times.map((at) => appendProofs(home, [proof("a", at)])));
  expect(new Set(readProofs(home, "a").map(({ at }) => at))).toEqual(new Set(times));
});

test("does not write behind a symlink", async () => {
  const home = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  symlinkSync(elsewhere, join(home, "proofs"));
  await expect(appendProofs(home, [proof("a", 1)])).rejects.toThrow("is a symlink");
  expect(readdirSync(elsewhere)).toEqual([]);
});
