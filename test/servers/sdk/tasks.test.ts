import { expect, test } from "vitest";
import { taskTools } from "../../../src/index.ts";
import { aiTools } from "../../../src/sdk/ai.ts";
import { answerToolUses, anthropicTools } from "../../../src/sdk/anthropic.ts";
import { answerToolCalls, chatTools } from "../../../src/sdk/openai.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";

test("SDK adapters accept task tools like list tools", async () => {
  const store = memoryTaskStore();
  const tools = taskTools(store, { owner: "ann" });
  expect(anthropicTools(tools).map(({ name }) => name)).toEqual(["tasks"]);
  expect(chatTools(tools).map((tool) => tool.function.name)).toEqual(["tasks"]);
  const use = (id: string, input: object) => ({ type: "tool_use", id, name: "tasks", input });
  const added = await answerToolUses(tools, [use("u1", { add: ["Paint"] })]);
  // A retry after a lost answer.
  expect(await answerToolUses(tools, [use("u1", { add: ["Paint"] })])).toEqual(added);
  const call = { name: "tasks", arguments: '{"claim":"next"}' };
  const [claimed] = await answerToolCalls(tools, [{ id: "c1", type: "function", function: call }]);
  expect(claimed?.content).toMatch(/^You own t1/);
  const { tasks } = aiTools(tools);
  const options = { toolCallId: "a1", messages: [] };
  expect(await tasks?.execute?.({ finish: "t1", evidence: "dry" }, options)).toMatchObject({
    ok: true,
  });
  expect(store.list().map(({ subject, status, owner }) => [subject, status, owner])).toEqual([
    ["Paint", "done", "ann"],
  ]);
});
