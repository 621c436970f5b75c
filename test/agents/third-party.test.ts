import { expect, test } from "vitest";
import {
  AGENTS,
  type Decoder,
  detectAgent,
  fields,
  items,
  list,
  openReader,
} from "../../src/agents/entry.ts";

/** As the example of `openReader` shows it. */
const decoder: Decoder = {
  id: "my-agent",
  name: "My Agent",
  basis: "My Agent 1.0",
  needles: ["todos"],
  score: (record) => (list(fields(record)?.todos) ? 1 : 0),
  start: ({ session = "" }) => ({ session }),
  read: (_, record, emit) => {
    const entries = list(fields(record)?.todos);
    if (!entries) return;
    const found = items(entries, { text: ["title"], status: ["state"] }, emit);
    emit({ type: "todo_list", todoId: "main", items: found });
  },
};

test("runs a third-party decoder", () => {
  const reader = openReader(decoder, { kind: "stream", session: "s1" }, { now: () => 1 });
  const events = reader.line('{"todos":[{"title":"Run the tests","state":"done"},{}]}', 1);
  expect(events).toMatchObject([
    { type: "warning", code: "bad_item", agentType: "my-agent", sessionId: "s1" },
    { type: "todo_list", items: [{ text: "Run the tests", status: "completed" }], timestamp: 1 },
  ]);
  expect(reader.line("not JSON", 2)).toMatchObject([{ type: "warning", code: "bad_line" }]);
});

test("the registry has unique ids and detects no agent for unknown records", () => {
  const ids = AGENTS.map(({ identity }) => identity.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(detectAgent([{ nothing: "known" }])).toBeUndefined();
});
