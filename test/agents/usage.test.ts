import { describe, expect, test } from "vitest";
import type { Decoder, Source } from "../../src/agents/agent.ts";
import { claudeCode } from "../../src/agents/claude-code/decoder.ts";
import { codex } from "../../src/agents/codex/decoder.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { gemini } from "../../src/agents/gemini/decoder.ts";
import { ohMyPi } from "../../src/agents/oh-my-pi/decoder.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { recordsOfRows } from "../../src/agents/opencode/rows.ts";
import { qwen } from "../../src/agents/qwen/decoder.ts";
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

describe("Gemini CLI", () => {
  const message = (id: string, tokens: object, more: object = {}) => ({
    id,
    timestamp: "2026-11-15T09:00:32.224Z",
    type: "gemini",
    content: "",
    tokens,
    model: "gemini-2.5-pro",
    ...more,
  });
  const tokens = { input: 100, output: 7, cached: 60, thoughts: 30, tool: 5, total: 142 };

  test("counts a message once, without cached tokens in the input and with thoughts in the output", () => {
    const events = usageIn(gemini, { kind: "file", session: "s" }, [
      message("m-1", tokens),
      message("m-1", tokens, { toolCalls: [] }),
      { $set: { messages: [message("m-1", tokens)] } },
    ]);
    expect(events.map(({ model, usage }) => [model, usage])).toEqual([
      [
        "gemini-2.5-pro",
        { input: 45, output: 37, cacheRead: 60, cacheWrite: 0, reasoning: 30, requests: 1 },
      ],
    ]);
  });

  test("counts the totals of live output by model", () => {
    const stats = { total_tokens: 95, input_tokens: 50, output_tokens: 25, cached: 10, input: 40 };
    const events = usageIn(gemini, { kind: "stream" }, [
      { type: "init", timestamp: "2026-11-15T09:00:00.000Z", session_id: "s", model: "auto" },
      {
        type: "result",
        timestamp: "2026-11-15T09:00:32.224Z",
        status: "success",
        stats: { models: { "gemini-2.5-pro": stats } },
      },
    ]);
    expect(events).toMatchObject([
      { model: "gemini-2.5-pro", usage: { input: 40, output: 45, cacheRead: 10, requests: 0 } },
    ]);
  });
});

describe("Qwen Code", () => {
  const record = (uuid: string, usageMetadata: object) => ({
    uuid,
    sessionId: "s",
    timestamp: "2026-11-15T09:00:32.224Z",
    type: "assistant",
    model: "qwen-coder",
    message: { parts: [] },
    usageMetadata,
  });
  const counts = { promptTokenCount: 100, candidatesTokenCount: 20, cachedContentTokenCount: 90 };

  test("counts thoughts once, whether the candidates include them or not", () => {
    const events = usageIn(qwen, { kind: "file", session: "s" }, [
      record("u1", { ...counts, thoughtsTokenCount: 8, totalTokenCount: 120 }),
      record("u2", { ...counts, thoughtsTokenCount: 8, totalTokenCount: 128 }),
      record("u3", { totalTokenCount: 15 }),
    ]);
    expect(events.map(({ usage }) => usage)).toEqual([
      { input: 10, output: 20, cacheRead: 90, cacheWrite: 0, reasoning: 8, requests: 1 },
      { input: 10, output: 28, cacheRead: 90, cacheWrite: 0, reasoning: 8, requests: 1 },
    ]);
    expect(events[0]?.model).toBe("qwen-coder");
  });

  test("counts the total of live output", () => {
    const base = { session_id: "s", qwen_code_version: "0.24.4" };
    const result = (uuid: string, input_tokens: number) => ({
      ...base,
      type: "result",
      subtype: "success",
      uuid,
      usage: { input_tokens, output_tokens: 30, cache_read_input_tokens: 20 },
    });
    const events = usageIn(qwen, { kind: "stream" }, [
      { ...base, type: "system", subtype: "init", uuid: "i", model: "qwen-coder" },
      result("r1", 60),
      result("r2", 90),
    ]);
    expect(events.map(({ model }) => model)).toEqual(["qwen-coder", "qwen-coder"]);
    expect(sum(events)).toMatchObject({ input: 70, output: 30, cacheRead: 20, requests: 0 });
  });
});

test("oh-my-pi counts its messages, without those of the session that it continues", () => {
  const message = (timestamp: string, usage: object) => ({
    type: "message",
    id: timestamp,
    timestamp,
    message: { role: "assistant", content: [], model: "mini-1", usage },
  });
  const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, totalTokens: 20 };
  const events = usageIn(ohMyPi, { kind: "file" }, [
    { type: "session", id: "s", cwd: "/home/dev", timestamp: "2026-11-15T09:00:00.000Z" },
    message("2026-11-15T08:59:00.000Z", usage),
    message("2026-11-15T09:01:00.000Z", usage),
  ]);
  expect(events).toMatchObject([
    {
      model: "mini-1",
      usage: { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 0, requests: 1 },
    },
  ]);
});

describe("opencode", () => {
  const tokens = { total: 48, input: 10, output: 5, reasoning: 3, cache: { read: 20, write: 10 } };
  const step = (id: string) => ({
    id,
    type: "step-finish",
    reason: "stop",
    messageID: "msg_1",
    sessionID: "ses_1",
    tokens,
  });
  const counted = { input: 10, output: 8, cacheRead: 20, cacheWrite: 10, reasoning: 3 };

  test("counts the steps of a run", () => {
    const run = (id: string) => ({
      type: "step_finish",
      timestamp: 1_795_000_000_000,
      sessionID: "ses_1",
      part: step(id),
    });
    const events = usageIn(opencode, { kind: "stream" }, [run("prt_1"), run("prt_2")]);
    expect(events.map(({ usage }) => usage)).toEqual([
      { ...counted, requests: 1 },
      { ...counted, requests: 1 },
    ]);
  });

  test("counts the steps of the server once, not its messages, and names their model", () => {
    const info = { id: "msg_1", sessionID: "ses_1", role: "assistant", modelID: "mini", tokens };
    const updated = {
      type: "message.part.updated",
      properties: { sessionID: "ses_1", part: step("prt_1"), time: 1_795_000_000_000 },
    };
    const events = usageIn(opencode, { kind: "stream" }, [
      { type: "message.updated", properties: { sessionID: "ses_1", info } },
      updated,
      updated,
      { type: "message.updated", properties: { sessionID: "ses_1", info } },
    ]);
    expect(events).toMatchObject([{ model: "mini", usage: { ...counted, requests: 1 } }]);
    expect(events).toHaveLength(1);
  });

  test("counts the messages of a database, not their steps", () => {
    const row = {
      session_id: "ses_1",
      at: 1_795_000_000_000,
      model: "mini",
      input: 10,
      output: 8,
      reasoning: 3,
      cache_read: 20,
      cache_write: 10,
      requests: 2,
    };
    const part = {
      id: "prt_1",
      message_id: "msg_1",
      session_id: "ses_1",
      time_created: 1_795_000_000_001,
      time_updated: 1_795_000_000_001,
      data: JSON.stringify(step("prt_1")),
    };
    const rows = { sessions: [{ id: "ses_1" }], todos: [], parts: [part], usage: [row] };
    const events = usageIn(opencode, { kind: "document" }, recordsOfRows(rows));
    expect(events).toMatchObject([{ model: "mini", usage: { ...counted, requests: 2 } }]);
    expect(events).toHaveLength(1);
  });
});
