import { expect, test } from "vitest";
import { acp } from "../../src/agents/acp/decoder.ts";
import type { Dialect } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { stateOf, waitingOf } from "../../src/core/activity/session-state.ts";
import { emptyLive, foldStream, type Live } from "../../src/core/stream/fold.ts";

/** The session after each part of a stream. */
function seen(dialect: Dialect, ...parts: readonly (readonly unknown[])[]) {
  const reader = openReader(dialect, { kind: "stream" }, { now: () => 1_000 });
  let live: Live | undefined;
  let line = 0;
  return parts.map((records) => {
    for (const record of records)
      for (const event of reader.line(JSON.stringify(record), ++line)) {
        live ??= emptyLive(event);
        foldStream(live, event);
      }
    if (!live) throw new Error("no event");
    const { activity, ended, plan, track } = live;
    const facts = { todos: track.todos, updatedAt: 0, activity, ended, plan };
    return [stateOf(facts, 2_000), waitingOf(facts, 2_000)];
  });
}

test("acp: a permission request needs you until it is answered", () => {
  const sessionId = "s1";
  const toolCall = { toolCallId: "c1", title: "npm install left-pad", kind: "execute" };
  const [asked, answered] = seen(
    acp,
    [
      { jsonrpc: "2.0", id: 1, method: "session/prompt", params: { sessionId, prompt: [] } },
      {
        jsonrpc: "2.0",
        method: "session/update",
        params: {
          sessionId,
          update: { sessionUpdate: "tool_call", ...toolCall, status: "pending" },
        },
      },
      {
        jsonrpc: "2.0",
        id: 5,
        method: "session/request_permission",
        params: { sessionId, toolCall, options: [] },
      },
    ],
    [{ jsonrpc: "2.0", id: 5, result: { outcome: { outcome: "selected", optionId: "once" } } }],
  );
  expect(asked).toMatchObject(["needs_you", { kind: "permission", text: "npm install left-pad" }]);
  expect(answered).toEqual(["working", undefined]);
});

test.each([
  [
    "permission",
    { permission: "bash", patterns: ["make"], metadata: { command: "make" } },
    { kind: "permission", text: "make", tool: "bash" },
  ],
  [
    "question",
    { questions: [{ question: "Which port?" }] },
    { kind: "question", text: "Which port?", tool: "question" },
  ],
])("opencode: a %s on its event stream needs you until the reply", (kind, properties, waiting) => {
  const sessionID = "ses_1";
  const [asked, answered] = seen(
    opencode,
    [
      { type: "session.status", properties: { sessionID, status: { type: "busy" } } },
      { type: `${kind}.asked`, properties: { id: "r1", sessionID, ...properties } },
    ],
    [{ type: `${kind}.replied`, properties: { sessionID, requestID: "r1" } }],
  );
  expect(asked).toMatchObject(["needs_you", waiting]);
  expect(answered).toEqual(["working", undefined]);
});
