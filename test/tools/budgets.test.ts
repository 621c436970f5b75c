import { describe, expect, it } from "vitest";
import { fieldTexts } from "../../src/core/guidance/prompts.ts";
import { byteLength } from "../../src/core/text/escape.ts";
import type { Status } from "../../src/index.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { TASK_TOOLS } from "../../src/tools/tasks/index.ts";
import { taskDefinitionOf } from "../../src/tools/tasks/task-tool.ts";
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

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly description?: string;
}

/** Every field of a schema with its description. */
function pathsIn(
  { properties = {}, items }: Schema,
  path = "",
): readonly { readonly path: string; readonly description?: string | undefined }[] {
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [{ path: at, description: field.description }, ...pathsIn(field, at)];
    }),
    ...(items ? pathsIn(items, `${path}[]`) : []),
  ];
}

/** Fields of the small tools that need no description: their enum, their parent or an answer says what they are. */
const CLEAR: Readonly<Record<string, readonly string[]>> = {
  todos: ["todos[].status", "reason"],
  tasks: ["add", "block", "block.task", "block.by", "from", "find", "epoch"],
};

const size = (value: unknown) => byteLength(JSON.stringify(value));

describe("size of the todos tool", () => {
  it("name, description and schema stay within 1,500 bytes", () => {
    const { name, description, inputSchema } = definitionOf(toolOf("todos"));
    expect(size({ name, description, inputSchema })).toBeLessThan(1_500);
  });

  it.each([
    ...TOOLS.map((tool) => [tool.id, definitionOf(tool).inputSchema] as const),
    ...TASK_TOOLS.map((tool) => [tool.id, taskDefinitionOf(tool).inputSchema] as const),
  ])("the published schema of %s describes its fields", (id, schema) => {
    const found = pathsIn(schema as Schema);
    const described = found.filter(({ description }) => description).map(({ path }) => path);
    expect(described.sort()).toEqual(Object.keys(fieldTexts(id)).sort());
    const silent = found.filter(({ description }) => !description).map(({ path }) => path);
    expect(silent).toEqual(CLEAR[id] ?? []);
  });

  it.each([
    ["finish one and start the next", { finish: ["5"], start: "6" }],
    ["start another", { start: "7" }],
    ["finish with evidence", { finish: ["5"], evidence: "npm test: 214 passed" }],
    ["drop", { drop: ["8"] }],
    ["block", { block: { todo: "6", reason: "waiting for the key" } }],
  ])("a call to %s takes at most 80 bytes, its answer 300", (_, input) => {
    const { ok, text } = call(longList(), "todos", input);
    expect(ok).toBe(true);
    expect(size(input)).toBeLessThanOrEqual(80);
    expect(byteLength(text)).toBeLessThanOrEqual(300);
  });

  it("TodoWrite needs more than 1,000 bytes each way for the same change", () => {
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

  it("refusals stay short, however long the texts are", () => {
    const { ok, text } = call(longList(), "todos", { start: "語" });
    expect(ok).toBe(false);
    expect(byteLength(text)).toBeLessThanOrEqual(400);
  });
});
