import { describe, expect, test } from "vitest";
import type { Decoder, Source } from "../../src/agents/agent.ts";
import { claudeCode } from "../../src/agents/claude-code/decoder.ts";
import { codex } from "../../src/agents/codex/decoder.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { addUsage, NO_USAGE, type Usage } from "../../src/core/activity/usage.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";

type UsageEvent = StreamEvent & { readonly type: "usage" };

function usageIn(decoder: Decoder, source: Source, records: readonly unknown[]): UsageEvent[] {
  const reader = openReader(decoder, source, { now: () => 0 });
  return records
    .flatMap((record, index) => reader.line(JSON.stringify(record), index + 1))
    .filter((event): event is UsageEvent => event.type === "usage");
}

const sum = (events: readonly UsageEvent[]): Usage =>
  events.reduce((all, { usage }) => addUsage(all, usage), NO_USAGE);

const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
const FILE: Source = { kind: "file", session: SESSION };

describe("Claude Code", () => {
  const line = (id: string, usage: object, more: object = {}, message: object = {}) => ({
    type: "assistant",
    sessionId: SESSION,
    isSidechain: false,
    timestamp: "2026-11-15T18:20:02.250Z",
    uuid: `${id}-${JSON.stringify(usage)}`,
    message: { id, role: "assistant", model: "claude-opus-5-5", content: [], usage, ...message },
    ...more,
  });

  test("counts a message once, with the usage of its last line", () => {
    const events = usageIn(claudeCode, FILE, [
      line("msg_1", { input_tokens: 3, cache_creation_input_tokens: 50, output_tokens: 1 }),
      line("msg_2", { input_tokens: 7, output_tokens: 2 }),
      line("msg_1", {
        input_tokens: 3,
        cache_creation_input_tokens: 50,
        cache_read_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 15 },
      }),
      line("msg_2", { input_tokens: 7, output_tokens: 2 }),
    ]);
    expect(sum(events)).toEqual({
      input: 10,
      output: 42,
      cacheRead: 9,
      cacheWrite: 50,
      cacheWriteHour: 30,
      reasoning: 15,
      requests: 2,
    });
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
    expect(events.map(({ model }) => model)).toEqual(Array(3).fill("claude-opus-5-5"));
  });

  test("leaves out lines that a fork copied from another session", () => {
    const usage = { input_tokens: 3, output_tokens: 1 };
    const events = usageIn(claudeCode, FILE, [
      line("msg_1", usage, { sessionId: "11111111-7b1e-4c0e-9f57-2a64d1f0c9be" }),
      line("msg_2", usage, { forkedFrom: { sessionId: "1111", messageUuid: "2222" } }),
      line("msg_3", usage),
    ]);
    expect(sum(events)).toMatchObject({ input: 3, output: 1, requests: 1 });
  });

  test("counts requests that warm the cache for the main agent", () => {
    const source: Source = { kind: "file", agent: "a1c17c9", parent: "main" };
    const sidechain = { isSidechain: true, agentId: "a1c17c9", userType: "external" };
    const events = usageIn(claudeCode, source, [
      {
        ...line("", {}),
        ...sidechain,
        type: "user",
        parentUuid: null,
        message: { content: "Warmup" },
      },
      line("msg_1", { input_tokens: 3, output_tokens: 1 }, sidechain),
    ]);
    expect(events).toMatchObject([{ agentId: "main", sessionId: SESSION, usage: { input: 3 } }]);
  });

  test("takes the totals at the end of live output, which also has other requests", () => {
    const base = { session_id: SESSION, parent_tool_use_id: null };
    const message = (id: string) => ({
      ...base,
      type: "assistant",
      uuid: `u-${id}`,
      message: { id, model: "opus", content: [], usage: { input_tokens: 100, output_tokens: 1 } },
    });
    const events = usageIn(claudeCode, { kind: "stream" }, [
      { ...base, type: "system", subtype: "init", model: "opus", claude_code_version: "2.1.325" },
      message("msg_1"),
      message("msg_1"),
      message("msg_2"),
      {
        ...base,
        type: "result",
        subtype: "success",
        uuid: "r1",
        modelUsage: {
          opus: { inputTokens: 200, outputTokens: 40, thinkingTokens: 10 },
          haiku: { inputTokens: 5, outputTokens: 3, cacheReadInputTokens: 2 },
        },
      },
    ]);
    expect(sum(events)).toEqual({
      input: 205,
      output: 43,
      cacheRead: 2,
      cacheWrite: 0,
      reasoning: 10,
      requests: 2,
    });
    expect(sum(events.filter(({ model }) => model === "haiku")).output).toBe(3);
  });
});

describe("Codex", () => {
  const THREAD = "019f2a10-79bb-7d20-9b66-1d2e3f4a5b6c";
  const SOURCE: Source = { kind: "file", session: THREAD };
  const at = "2026-11-15T18:34:15.010Z";
  const meta = (id = THREAD) => ({
    timestamp: at,
    type: "session_meta",
    payload: { id, cwd: "/" },
  });
  const turn = (id: string, model = "gpt-6") => ({
    timestamp: at,
    type: "turn_context",
    payload: { turn_id: id, model },
  });
  const total = (
    input: number,
    output: number,
    { cached = 0, reasoning = 0 }: { cached?: number; reasoning?: number } = {},
  ) => ({
    timestamp: at,
    type: "event_msg",
    payload: {
      type: "token_count",
      info: {
        total_token_usage: {
          input_tokens: input,
          cached_input_tokens: cached,
          output_tokens: output,
          reasoning_output_tokens: reasoning,
          total_tokens: input + output,
        },
      },
    },
  });
  const OWN_TURN = "019f2a10-8000-7e30-8c77-2e3f4a5b6c7d";

  test("counts the growth of the total, by the model of the turn", () => {
    const events = usageIn(codex, SOURCE, [
      meta(),
      turn(OWN_TURN),
      { ...total(0, 0), payload: { type: "token_count", info: null } },
      total(100, 20, { cached: 40, reasoning: 5 }),
      total(100, 20, { cached: 40, reasoning: 5 }),
      turn(OWN_TURN, "gpt-6-mini"),
      total(250, 30, { cached: 140, reasoning: 5 }),
    ]);
    expect(events.map(({ model, usage }) => [model, usage])).toEqual([
      ["gpt-6", { input: 60, output: 20, cacheRead: 40, cacheWrite: 0, reasoning: 5, requests: 1 }],
      [
        "gpt-6-mini",
        { input: 50, output: 10, cacheRead: 100, cacheWrite: 0, reasoning: 0, requests: 1 },
      ],
    ]);
  });

  test("starts again from 0 after the total was reset", () => {
    const events = usageIn(codex, SOURCE, [meta(), turn(OWN_TURN), total(100, 20), total(30, 2)]);
    expect(sum(events)).toMatchObject({ input: 130, output: 22, requests: 2 });
  });

  test("leaves out the usage that a fork inherited", () => {
    const events = usageIn(codex, SOURCE, [
      meta(),
      meta("019f2a10-77aa-7c10-8a55-0c1d2e3f4a5b"),
      turn("019f2a10-7801-7e30-8c77-2e3f4a5b6c7d"),
      total(100, 20),
      total(200, 40),
      turn(OWN_TURN),
      total(250, 45),
    ]);
    expect(sum(events)).toMatchObject({ input: 50, output: 5, requests: 1 });
  });

  test("counts the total of live output per turn", () => {
    const usage = (input_tokens: number, output_tokens: number) => ({
      type: "turn.completed",
      usage: { input_tokens, output_tokens },
    });
    const started = { type: "thread.started", thread_id: THREAD };
    const run = [started, { type: "turn.started" }, usage(100, 20), { type: "turn.started" }];
    const events = usageIn(codex, { kind: "stream" }, [...run, usage(150, 30), ...run]);
    expect(sum(events)).toMatchObject({ input: 250, output: 50 });
  });
});
