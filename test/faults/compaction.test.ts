import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openReader } from "../../src/agents/common/reader.ts";
import { findDialect } from "../../src/agents/index.ts";
import { isOpen } from "../../src/core/views/view.ts";
import { createTracker, memoryStore, PRESETS } from "../../src/index.ts";
import { op } from "../core/arbitrary.ts";
import { FULL } from "../full.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");

/** What each agent writes when it has shortened its conversation. */
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
  const dialect = findDialect(id);
  if (!dialect) throw new Error(`no dialect ${id}`);
  const reader = openReader(dialect, { kind: "file", session: "s" }, { now: () => 0 });
  return lines
    .flatMap((line, place) => reader.line(line, place + 1))
    .flatMap((event) => (event.type === "todo_list" ? [event.items] : []));
}

describe("a conversation that is shortened", () => {
  test.each(SESSIONS)("C15 has the same lists wherever that happens: %s %s", (id, path) => {
    const lines = readFileSync(join(FIXTURES, path), "utf8").trimEnd().split("\n");
    const before = listsOf(id, lines);
    expect(before.length).toBeGreaterThan(0);
    const record = JSON.stringify(COMPACTED[id]);
    for (let place = 1; place <= lines.length; place++) {
      const cut = [...lines.slice(0, place), record, ...lines.slice(place)];
      expect({ place, lists: listsOf(id, cut) }).toStrictEqual({ place, lists: before });
    }
  });

  test("C15 leaves a list of ours as it is, and gives the model exactly what is open; a copy of it is its own", () => {
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
