import { expect, test } from "vitest";
import type { Decoder } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { gemini } from "../../src/agents/gemini/decoder.ts";
import { qwen } from "../../src/agents/qwen/decoder.ts";

const BLOCK = "&lt;waymark-1aq&gt;\nThere is a list. (1 &lt; 2)\n&lt;/waymark-1aq&gt;";

function prompts(decoder: Decoder, records: readonly object[]): readonly unknown[] {
  const reader = openReader(decoder, { kind: "file", session: "s" }, { now: () => 0 });
  const events = records.flatMap((record, line) => reader.line(JSON.stringify(record), line + 1));
  return [...events, ...reader.end()].flatMap((event) =>
    event.type === "turn.started" ? [event.prompt] : [],
  );
}

test("removes text that hooks add to prompts in Gemini chats", () => {
  const user = (id: string, text: string) => ({ id, type: "user", content: [{ text }] });
  const found = prompts(gemini, [
    { sessionId: "s", projectHash: "p", kind: "main" },
    user("1", `<hook_context>${BLOCK}</hook_context>`),
    user("2", `Build it <b>well</b>\n<hook_context>${BLOCK}</hook_context>`),
    user("3", "Say <b>waymark-1aq</b> aloud"),
  ]);
  expect(found).toEqual(["Build it well", "Say <b>waymark-1aq</b> aloud"]);
});

test("removes text that hooks add to prompts in Qwen transcripts", () => {
  const found = prompts(qwen, [
    {
      uuid: "1",
      sessionId: "s",
      timestamp: "2026-01-01T00:00:00.000Z",
      type: "user",
      message: { role: "user", parts: [{ text: "Build it" }, { text: BLOCK }] },
    },
    {
      uuid: "2",
      sessionId: "s",
      timestamp: "2026-01-01T00:00:01.000Z",
      type: "assistant",
      message: { role: "model", parts: [{ text: "Yes" }] },
    },
  ]);
  expect(found).toEqual(["Build it"]);
});
