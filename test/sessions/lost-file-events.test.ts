import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { FULL } from "../full.ts";
import { CLAUDE, newUserHome } from "./home.ts";

/** Linux queues 16,384 file events for a busy program and silently drops the rest. */
const FILES = FULL ? 20_000 : 300;
const PATIENCE = FULL ? 100_000 : 15_000;

test(`reads each of ${FILES} files that appeared and grew while file events were lost`, {
  tags: ["no-file-events"],
  timeout: 2 * PATIENCE + 60_000,
}, async () => {
  const home = newUserHome();
  onTestFinished(() => home.remove(), 60_000);
  const at = Date.now() - 60_000;
  const listOf = (id: string, text: string) =>
    claudeSession(id, "/p").todos([[text, "pending"]], at);
  const path = (id: string) => join(home.path, ".claude/projects/-p", `${id}.jsonl`);
  mkdirSync(dirname(path("x")), { recursive: true });
  writeFileSync(path(CLAUDE), listOf(CLAUDE, "Here before").text());
  const follower = follow(DECODERS, home.machine, { index: new Map() });
  onTestFinished(() => follower.stop());
  await follower.ready;
  const ids = Array.from(
    { length: FILES },
    (_, n) => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`,
  );
  const showing = (text: string) =>
    follower.tracks().filter(({ live }) => live.track.todos[0]?.text === text).length;
  // Synchronously: no event is delivered until all files are written.
  for (const id of ids) writeFileSync(path(id), listOf(id, "New").text());
  await expect
    .poll(() => showing("New"), { timeout: PATIENCE, interval: FULL ? 1_000 : 100 })
    .toBe(FILES);
  for (const id of ids)
    appendFileSync(
      path(id),
      claudeSession(id, "/p")
        .call("Bash", {}, at, "x")
        .todos([["Grown", "pending"]], at + 1_000)
        .text()
        .split("\n")
        .slice(2)
        .join("\n"),
    );
  await expect
    .poll(() => showing("Grown"), { timeout: PATIENCE, interval: FULL ? 1_000 : 100 })
    .toBe(FILES);
  expect(showing("Here before")).toBe(1);
});
