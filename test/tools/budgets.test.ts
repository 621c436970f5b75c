import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/core/text/escape.ts";
import type { Status } from "../../src/index.ts";
import { definitionOf } from "../../src/tools/tool.ts";
import { call, newList, prepare, toolOf } from "./call.ts";

const TEXTS = Array.from({ length: 12 }, (_, n) => `${n}${"語".repeat(499)}`.slice(0, 500));
const statusOf = (n: number): Status => (n < 4 ? "completed" : n === 4 ? "in_progress" : "pending");

function longList() {
  return prepare(newList(), {
    op: "replace",
    // With something given as proof there is no reminder behind the answer.
    todos: TEXTS.map((text, n) => ({
      text,
      status: statusOf(n),
      ...(n === 0 && { evidence: ["a"] }),
    })),
  });
}

const size = (value: unknown) => byteLength(JSON.stringify(value));

describe("SPEC B8, what the native tool costs", () => {
  it("SPEC B8, budget: schema and description together stay below 1,500 bytes", () => {
    const { description, inputSchema } = definitionOf(toolOf("todos"));
    expect(byteLength(description) + size(inputSchema)).toBeLessThan(1_500);
  });

  it.each([
    ["finish one and start the next", { finish: ["5"], start: "6" }],
    ["start another", { start: "7" }],
    ["finish with evidence", { finish: ["5"], evidence: "npm test: 214 passed" }],
    ["drop", { drop: ["8"] }],
    ["block", { block: { todo: "6", reason: "waiting for the key" } }],
  ])("SPEC B8, budget: %s costs at most 80 bytes in and 300 bytes out", (_, input) => {
    const { ok, text } = call(longList(), "todos", input);
    expect(ok).toBe(true);
    expect(size(input)).toBeLessThanOrEqual(80);
    expect(byteLength(text)).toBeLessThanOrEqual(300);
  });

  it("SPEC B8, budget: the same change costs more than 1,000 bytes each way with TodoWrite", () => {
    const input = {
      todos: TEXTS.map((content, n) => ({
        content,
        status: n === 5 ? "in_progress" : n < 5 ? "completed" : "pending",
        activeForm: content,
      })),
    };
    const list = longList();
    const { ok, text } = call(list, "TodoWrite", input);
    expect(ok).toBe(true);
    expect(size(input)).toBeGreaterThan(1_000);
    expect(byteLength(text)).toBeGreaterThan(1_000);

    const patched = longList();
    call(patched, "todos", { finish: ["5"], start: "6" });
    const states = (of: typeof list) => of.get().map(({ text, status }) => ({ text, status }));
    expect(states(patched)).toEqual(states(list));
  });

  it("SPEC B8, budget: a refusal is as short, however long the texts are", () => {
    const { ok, text } = call(longList(), "todos", { start: "語" });
    expect(ok).toBe(false);
    expect(byteLength(text)).toBeLessThanOrEqual(400);
  });
});
