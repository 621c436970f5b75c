import { expect, test } from "vitest";
import { acp } from "../../src/agents/acp/decoder.ts";
import type { Decoder } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { stateOf, waitingOf } from "../../src/core/activity/session-state.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";

/** The session after each part of a stream. */
function statesOf(decoder: Decoder, ...parts: readonly (readonly unknown[])[]) {
  const reader = openReader(decoder, { kind: "stream" }, { now: () => 1_000 });
  let live: LiveTrack | undefined;
  let line = 0;
  return parts.map((records) => {
    for (const record of records)
      for (const event of reader.line(JSON.stringify(record), ++line)) {
        live ??= emptyLiveTrack(event);
        foldStream(live, event);
      }
    if (!live) throw new Error("no event");
    const { activity, ended, plan, track } = live;
    const facts = { todos: track.todos, updatedAt: 0, activity, ended, plan };
    return [stateOf(facts, 2_000), waitingOf(facts, 2_000)];
  });
}

test("acp: a permission request needs the user until it is answered", () => {
  const sessionId = "s1";
  const toolCall = { toolCallId: "c1", title: "npm install left-pad", kind: "execute" };
  const [requested, answered] = statesOf(
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
  expect(requested).toMatchObject([
    "needs_you",
    { kind: "permission", text: "npm install left-pad" },
  ]);
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
])(
  "opencode: a %s in the event stream needs the user until the reply",
  (kind, properties, waiting) => {
    const sessionID = "ses_1";
    const [requested, answered] = statesOf(
      opencode,
      [
        { type: "session.status", properties: { sessionID, status: { type: "busy" } } },
        { type: `${kind}.asked`, properties: { id: "r1", sessionID, ...properties } },
      ],
      [{ type: `${kind}.replied`, properties: { sessionID, requestID: "r1" } }],
    );
    expect(requested).toMatchObject(["needs_you", waiting]);
    expect(answered).toEqual(["working", undefined]);
  },
);
