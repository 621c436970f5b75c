import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openReader } from "../../src/agents/common/reader.ts";
import { findDecoder } from "../../src/agents/index.ts";
import { isOpen } from "../../src/core/views/view.ts";
import { createTracker, memoryStore, PRESETS } from "../../src/index.ts";
import { op } from "../core/arbitrary.ts";
import { FULL } from "../full.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");

/** The record that each agent writes when it compacts its conversation. */
const COMPACTED: Readonly<Record<string, object>> = {
  "claude-code": {
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: { trigger: "auto", preTokens: 150_000 },
    uuid: "u",
    timestamp: "2026-11-15T18:20:08.250Z",
  },
  codex: { timestamp: "2026-11-15T18:34:15.090Z", type: "compacted", payload: { message: "" } },
};

const SESSIONS = [
  [
    "claude-code",
    "claude-code/todo-write/projects/-home-dev-demo/3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be.jsonl",
  ],
  ["claude-code", "claude-code/tasks/interactive.jsonl"],
  ["codex", "codex/rollout/simple.jsonl"],
  ["codex", "codex/rollout/resumed.jsonl"],
] as const;

function listsOf(id: string, lines: readonly string[]): readonly unknown[] {
  const dialect = findDecoder(id);
  if (!dialect) throw new Error(`no dialect ${id}`);
  const reader = openReader(dialect, { kind: "file", session: "s" }, { now: () => 0 });
  return lines
    .flatMap((line, place) => reader.line(line, place + 1))
    .flatMap((event) => (event.type === "todo_list" ? [event.items] : []));
}

describe("a compacted conversation", () => {
  test.each(SESSIONS)(
    "has the same lists wherever compaction happens: %s %s",
    { tags: ["session-change"] },
    (id, path) => {
      const lines = readFileSync(join(FIXTURES, path), "utf8").trimEnd().split("\n");
      const before = listsOf(id, lines);
      expect(before.length).toBeGreaterThan(0);
      const record = JSON.stringify(COMPACTED[id]);
      for (let place = 1; place <= lines.length; place++) {
        const cut = [...lines.slice(0, place), record, ...lines.slice(place)];
        expect({ place, lists: listsOf(id, cut) }).toStrictEqual({ place, lists: before });
      }
    },
  );

  test("keeps our list, returns exactly the open todos to the model, and forks independently", {
    tags: ["session-change"],
  }, () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 1, maxLength: 5 }), (ops) => {
        const tracker = createTracker({
          store: memoryStore(),
          clock: () => 1,
          policy: PRESETS.repair,
        });
        const { own } = tracker;
        own.submit(ops);
        const before = own.get();
        own.observe({ type: "session.compacted" });
        expect(own.get()).toStrictEqual(before);
        const { reminder } = own.observe([], { moment: "compacted" });
        const open = before.filter(isOpen);
        expect(reminder?.kind === "recovery").toBe(open.length > 0);
        expect(own.get()).toStrictEqual(before);
        const fork = { session: "fork", agent: "main" };
        if (tracker.copy(own.id, fork)) {
          const texts = (todos: typeof before) => todos.map(({ text, status }) => [text, status]);
          const copy = tracker.list(fork);
          expect(texts(copy.get())).toStrictEqual(texts(own.get()));
          copy.clear();
          expect(own.get()).toStrictEqual(before);
        }
      }),
      { numRuns: FULL ? 5_000 : 150 },
    );
  });
});
