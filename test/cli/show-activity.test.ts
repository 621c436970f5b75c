import { expect, test } from "vitest";
import { CODEX } from "../sessions/home.ts";
import {
  A,
  as,
  eachOnItsOwn,
  home,
  json,
  machine,
  run,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

/** Long enough that the middle of the file is scanned, not read line by line. */
const FILLER = "words ".repeat(1_000);
const CALLS = Array.from({ length: 30 }, (_, place) => place);
const at = (place: number) => new Date(Date.now() - (100 - place) * SECOND).toISOString();

function claudeLines(): readonly object[] {
  const line = (type: string, place: number, more: object) => ({
    type,
    uuid: `u${type}${place}`,
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    sessionId: A,
    cwd: "/srv/shop",
    version: "2.1.325",
    timestamp: at(place),
    ...more,
  });
  const message = (role: string, place: number, content: unknown) =>
    line(role, place, { message: { role, id: `m${place}`, model: "claude-x", content } });
  return [
    message("user", 0, "Clean up"),
    ...CALLS.flatMap((place) => [
      message("assistant", place, [{ type: "text", text: FILLER }]),
      message("assistant", place, [
        {
          type: "tool_use",
          id: `call_${place}`,
          name: "Bash",
          input: { command: `echo ${place}` },
        },
      ]),
      message("user", place, [
        { type: "tool_result", tool_use_id: `call_${place}`, content: `${place}` },
      ]),
      ...(place === 10
        ? [line("system", place, { subtype: "compact_boundary", compactMetadata: {} })]
        : []),
    ]),
    line("assistant", 31, {
      message: { role: "assistant", id: "end", content: [], stop_reason: "end_turn" },
    }),
    message("user", 32, "Go on"),
  ];
}

function codexLines(): readonly object[] {
  const line = (type: string, place: number, payload: object) => ({
    timestamp: at(place),
    type,
    payload,
  });
  const messageItem = (role: string, text: string, type: string) =>
    ({ type: "message", role, content: [{ type, text }] }) as const;
  const turn = (place: number, prompt: string) => [
    line("event_msg", place, { type: "task_started", turn_id: `t${place}` }),
    line("response_item", place, messageItem("user", prompt, "input_text")),
    line("event_msg", place, { type: "user_message", message: prompt }),
  ];
  return [
    line("session_meta", 0, { id: CODEX, cwd: "/srv/shop", cli_version: "0.166.0" }),
    ...turn(1, "Clean up"),
    ...CALLS.flatMap((place) => [
      line("response_item", place, messageItem("assistant", FILLER, "output_text")),
      line("response_item", place, {
        type: "function_call",
        name: "shell",
        call_id: `call_${place}`,
        arguments: JSON.stringify({ command: ["echo", `${place}`] }),
      }),
      line("response_item", place, {
        type: "function_call_output",
        call_id: `call_${place}`,
        output: `${place}`,
      }),
      ...(place === 10
        ? [
            line("compacted", place, { message: "" }),
            line("event_msg", place, {
              type: "item_completed",
              item: { type: "ContextCompaction", id: "c1" },
            }),
          ]
        : []),
    ]),
    line("event_msg", 31, { type: "task_complete", turn_id: "t1" }),
    ...turn(32, "Go on"),
  ];
}

const text = (lines: readonly object[]) =>
  lines.map((each) => `${JSON.stringify(each)}\n`).join("");

test.each([
  ["Claude Code", A, () => writeSession(A, text(claudeLines()))],
  [
    "Codex",
    CODEX,
    () =>
      home.write(
        `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
        text(codexLines()),
      ),
  ],
])("show counts all activity of %s, also if Waymark hosts the list", (_, session, write) => {
  write();
  const wanted = { compactions: 1, counts: { turns: 2, tools: 30, failed: 0 } };
  expect(json("show", session)).toMatchObject({ activity: wanted });
  // As hooks or an MCP server would: from now on the store has the list.
  const todos = [{ content: "Sweep", status: "pending", activeForm: "Sweeping" }];
  expect(machine.tool("TodoWrite", { todos }, "--session", session).status).toBe(0);
  const shown = json("show", session);
  expect(shown).toMatchObject({ todos: [{ text: "Sweep" }], activity: wanted });
  expect(run("show", session).stdout).toContain("2 turns, 30 calls, 0 failed");
});

test("show counts compactions that only hooks reported", () => {
  const hook = (event: string, more: object) =>
    machine.run(["hook", "claude", event], {
      env: as(home),
      input: JSON.stringify({ session_id: A, hook_event_name: event, cwd: "/srv/shop", ...more }),
    });
  hook("SessionStart", { source: "startup" });
  hook("UserPromptSubmit", { prompt: "Clean up" });
  hook("SessionStart", { source: "compact" });
  expect(json("show", A)).toMatchObject({ activity: { compactions: 1, counts: { turns: 1 } } });
});
