import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forbiddenCharacter, oneLine } from "../../src/core/text/escape.ts";
import type { Rejection, ToolId, ToolResult, Track } from "../../src/index.ts";
import { policyFor } from "../../src/internal.ts";
import { sized } from "../full.ts";
import { call, edit, type MemoryList, newList, prepare, toolOf } from "./call.ts";
import { hostileCall } from "./hostile.ts";

const RUNS = { numRuns: sized(800, 10_000) };

type Start = "empty" | "open" | "full" | "finished" | "edited" | "planning";

/** Lists that are already normalised, so that only the call can change them. */
function listAt(start: Start): MemoryList {
  const list = newList();
  if (start === "empty") return list;
  prepare(list, {
    op: "replace",
    todos: [
      { text: "Cut", status: "completed", phase: "Build", ref: "a" },
      { text: "Sew", status: start === "finished" ? "cancelled" : "in_progress", phase: "Build" },
      { text: "Pack", status: start === "finished" ? "completed" : "pending" },
    ],
  });
  if (start === "full")
    prepare(list, {
      op: "add",
      todos: Array.from({ length: 16 }, (_, n) => ({ text: `Step ${n}`, phase: "Ship" })),
    });
  if (start === "edited")
    edit(
      list,
      { op: "drop", target: { any: "2" } },
      { op: "edit", target: { any: "3" }, set: { text: "Send" } },
      { op: "add", todos: [{ text: "Wave" }] },
    );
  if (start === "planning") list.submit([{ op: "mode", mode: "plan" }], { by: "user" });
  return list;
}

const start = fc.constantFrom<Start>("empty", "open", "full", "finished", "edited", "planning");

function checkInvariants(track: Track, tool: ToolId, before: Track): void {
  const { maxTodos, maxText } = policyFor("agent", toolOf(tool).policy);
  const active = track.todos.filter((todo) => todo.status === "in_progress");
  expect(active.length).toBeLessThanOrEqual(1);
  // Todos that the user added or changed stay, even beyond the limit of the list.
  const kept = new Set(before.unseen.map((edit) => edit.id)).size;
  expect(track.todos.length).toBeLessThanOrEqual(maxTodos + kept);
  expect(new Set(track.todos.map((todo) => todo.id)).size).toBe(track.todos.length);
  for (const { text, activeText = text, phase = text, ref = text } of track.todos)
    for (const line of [text, activeText, phase, ref]) {
      expect(line).toBe(oneLine(line));
      expect(line).not.toBe("");
      expect([...line].length).toBeLessThanOrEqual(maxText);
      expect(forbiddenCharacter(line)).toBeUndefined();
    }
  expect(JSON.parse(JSON.stringify(track))).toEqual(track);
}

type Entry = { readonly op: string; readonly items?: readonly string[] };

function placesOf(rejected: readonly Rejection[]): ReadonlySet<number> {
  return new Set(rejected.map(({ message }) => Number(/^ops\[(\d+)\]: /.exec(message)?.[1])));
}

/** The batch without its refused parts: an append is refused item by item, other ops whole. */
function goodOps(from: Start, entries: readonly Entry[], result: ToolResult): readonly Entry[] {
  const whole = placesOf(result.rejected.filter(({ code }) => code !== "already_exists"));
  const split = entries
    .filter((_, place) => !whole.has(place))
    .flatMap((entry) =>
      entry.op === "append"
        ? (entry.items ?? []).map((item) => ({ ...entry, items: [item] }))
        : [entry],
    );
  if (split.length === 0) return [];
  const known = placesOf(call(listAt(from), "todo_write.ops", { ops: split }).rejected);
  return split.filter((_, place) => !known.has(place));
}

function checkPartial(from: Start, entries: readonly Entry[], result: ToolResult, track: Track) {
  const list = listAt(from);
  const good = goodOps(from, entries, result);
  if (good.length > 0) expect(call(list, "todo_write.ops", { ops: good }).rejected).toEqual([]);
  const { todos, list: number, nextId, mode } = list.read();
  expect(track).toMatchObject({ todos, list: number, nextId, mode });
}

describe("properties of every tool", () => {
  it("no input makes a tool throw or apply half of a call", {
    timeout: 120_000,
  }, () => {
    const seen = { ok: 0, refused: 0, partial: 0 };
    fc.assert(
      fc.property(start, hostileCall, (from, { tool, input }) => {
        const list = listAt(from);
        const before = structuredClone(list.read());
        const result = call(list, tool, input);
        const after = list.read();
        expect(result.text.length).toBeGreaterThan(0);
        expect(result.ok).toBe(result.rejected.length === 0);
        if (result.ok) {
          seen.ok++;
          checkInvariants(after, tool, before);
          return;
        }
        for (const { message } of result.rejected) expect(message.length).toBeLessThan(1_000);
        const applied = after.version !== before.version;
        if (!applied) seen.refused++;
        else seen.partial++;
        const batch = input as { ops: readonly Entry[]; atomic?: boolean };
        const partial = tool === "todo_write.ops" && result.data !== null && !batch.atomic;
        if (!partial || from === "planning") expect(after).toEqual(before);
        else if (from === "edited") checkInvariants(after, tool, before);
        else checkPartial(from, batch.ops, result, after);
      }),
      RUNS,
    );
    // The property would be worth little if nearly everything were refused, or accepted.
    expect(seen.ok).toBeGreaterThan(RUNS.numRuns / 10);
    expect(seen.refused).toBeGreaterThan(RUNS.numRuns / 10);
    expect(seen.partial).toBeGreaterThan(RUNS.numRuns / 200);
  });

  /** The track without what a refused call records for reminders. */
  const listIn = (track: Track) => {
    const { activity: _, guide: __, version: ___, updatedAt: ____, ...rest } = track;
    const { refused: _____, agentAt: ______, ...list } = rest;
    return list;
  };

  it("a second call with the same key changes nothing", {
    timeout: 120_000,
  }, () => {
    const seen = { acted: 0 };
    fc.assert(
      fc.property(start, hostileCall, (from, { tool, input, other }) => {
        const list = listAt(from);
        const { version } = list.read();
        const first = call(list, tool, input, { key: "same" });
        const after = structuredClone(list.read());
        const second = call(list, tool, input, { key: "same" });
        expect(list.read()).toEqual(after);
        expect([second.ok, second.rejected]).toEqual([first.ok, first.rejected]);
        if (after.version === version) return;
        seen.acted++;
        call(list, tool, other, { key: "same" });
        expect(listIn(list.read())).toEqual(listIn(after));
      }),
      RUNS,
    );
    expect(seen.acted).toBeGreaterThan(RUNS.numRuns / 10);
  });
});
