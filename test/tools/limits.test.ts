import { describe, expect, test } from "vitest";
import { policyFromEnv, readMaxTodos } from "../../src/core/list/policy.ts";
import { createTracker } from "../../src/index.ts";
import { definitionOf } from "../../src/tools/tool.ts";
import { toolOf } from "./call.ts";

const texts = (count: number) => Array.from({ length: count }, (_, n) => `Step ${n + 1}`);

describe("the limits of a list", () => {
  test.each(["todos", "TodoWrite", "update_plan", "write_todos", "todowrite"] as const)(
    "%s states them in its description",
    (id) => {
      expect(definitionOf(toolOf(id)).description).toContain("At most 20 todos of 500 characters.");
    },
  );

  test("a tracker states and applies its own limits", () => {
    const tracker = createTracker({ policy: { maxTodos: 30, maxText: 80 } });
    const [tool] = tracker.tools();
    expect(tool?.description).toContain("At most 30 todos of 80 characters.");
    expect(tool?.execute({ todos: texts(30).map((text) => ({ text })) })).toMatchObject({
      ok: true,
    });
    expect(tool?.execute({ add: ["One more"] })).toMatchObject({ ok: false });
  });

  test("the operations tool takes more than 20 todos", () => {
    const tracker = createTracker();
    const [tool] = tracker.tools({ tools: ["todo_write.ops"] });
    const list = [{ phase: "Work", items: texts(60) }];
    expect(tool?.execute({ ops: [{ op: "init", list }] })).toMatchObject({ ok: true });
    const append = { op: "append", phase: "Work", items: ["One more"] };
    expect(tool?.execute({ ops: [append] })).toMatchObject({ ok: true });
    expect(tracker.own.get()).toHaveLength(61);
    expect(tool?.description).not.toContain("At most 20");
  });

  test("WAYMARK_MAX_TODOS sets the limit; invalid values are ignored", () => {
    expect(policyFromEnv({ WAYMARK_MAX_TODOS: "50" })).toEqual({ maxTodos: 50 });
    expect(policyFromEnv({})).toEqual({});
    for (const bad of ["", "0", "-1", "many", "1e3", "10001", "999999"])
      expect(readMaxTodos(bad)).toBeUndefined();
  });
});
