import type { AgentAction, RecordedTodo } from "./recording.ts";

/** Converts recorded actions to the session file of an agent. */
export interface TranscriptWriter {
  /** Path of the session file, relative to the home directory. */
  readonly file: string;
  /** The records of one action at the given time. */
  records(action: AgentAction, at: number): readonly object[];
}

const iso = (at: number) => new Date(at).toISOString();

/** A session file of Claude Code, or of one of its subagents. */
export function claudeTranscript(
  session: string,
  cwd: string,
  subagent?: string,
): TranscriptWriter {
  const folder = `.claude/projects/${cwd.replaceAll("/", "-")}/${session}`;
  const agentId = subagent && `a${Buffer.from(subagent).toString("hex").slice(0, 16)}`;
  const attribution = subagent ? { agentId, attributionAgent: subagent } : {};
  let count = 0;
  let open = "";
  const record = (type: "user" | "assistant", message: object, at: number, more: object = {}) => ({
    parentUuid: null,
    isSidechain: subagent !== undefined,
    ...attribution,
    type,
    message: { role: type, ...message },
    uuid: `${agentId ?? "main"}-${++count}`,
    timestamp: iso(at),
    cwd,
    sessionId: session,
    version: "2.1.325",
    ...more,
  });
  const assistant = (content: object, stop: string, at: number) =>
    record(
      "assistant",
      { id: `msg_${count}`, model: "claude-opus", content: [content], stop_reason: stop },
      at,
    );
  const call = (name: string, input: object, at: number) => {
    open = `toolu_${agentId ?? "main"}_${count}`;
    return assistant({ type: "tool_use", id: open, name, input }, "tool_use", at);
  };
  const result = (content: string, at: number, failed = false, more: object = {}) =>
    record(
      "user",
      {
        content: [
          { type: "tool_result", tool_use_id: open, content, ...(failed && { is_error: true }) },
        ],
      },
      at,
      more,
    );
  return {
    file: agentId ? `${folder}/subagents/agent-${agentId}.jsonl` : `${folder}.jsonl`,
    records(action, at) {
      if ("prompt" in action) return [record("user", { content: action.prompt }, at)];
      if ("list" in action) {
        const newTodos = action.list.map(([content, status]) => ({
          content,
          status,
          activeForm: activeForm(content),
        }));
        return [
          call("TodoWrite", { todos: newTodos }, at),
          result("Todos have been modified.", at, false, { toolUseResult: { newTodos } }),
        ];
      }
      if ("edit" in action)
        return [
          call(
            "Edit",
            { file_path: `${cwd}/${action.edit}`, old_string: "a", new_string: "b" },
            at,
          ),
          result("The file was updated.", at),
        ];
      if ("run" in action) {
        const started = call("Bash", { command: action.run }, at);
        return action.exit === undefined ? [started] : [started, outcome(action.exit, at)];
      }
      if ("answer" in action) return [outcome(action.answer, at)];
      return [assistant({ type: "text", text: "Done." }, "end_turn", at)];
    },
  };
  function outcome(exit: number, at: number): object {
    return exit === 0 ? result("ok", at) : result(`Exit code ${exit}`, at, true);
  }
}

/** `Adding the key` for `Add the key`. */
function activeForm(text: string): string {
  const [verb = "", ...rest] = text.split(" ");
  const stem = /[^e]e$/.test(verb) ? verb.slice(0, -1) : verb;
  return [`${stem}ing`, ...rest].join(" ");
}

/** A session file of Codex. */
export function codexTranscript(session: string, cwd: string, startedAt: number): TranscriptWriter {
  const stamp = iso(startedAt).slice(0, 19).replaceAll(":", "-");
  const day = iso(startedAt).slice(0, 10).replaceAll("-", "/");
  let ordinal = 0;
  let turn = 0;
  let open = "";
  const record = (type: string, payload: object, at: number) => ({
    timestamp: iso(at),
    ordinal: ordinal++,
    type,
    payload,
  });
  const call = (name: string, input: object, at: number) => {
    open = `call_${ordinal}`;
    const args = JSON.stringify(input);
    return record(
      "response_item",
      { type: "function_call", name, arguments: args, call_id: open },
      at,
    );
  };
  const output = (text: string, at: number) =>
    record("response_item", { type: "function_call_output", call_id: open, output: text }, at);
  const exited = (code: number, at: number) =>
    output(`Wall time: 1.0 seconds\nProcess exited with code ${code}\nOutput:\n`, at);
  return {
    file: `.codex/sessions/${day}/rollout-${stamp}-${session}.jsonl`,
    records(action, at) {
      if ("prompt" in action) {
        turn++;
        const meta = {
          session_id: session,
          id: session,
          cwd,
          cli_version: "0.166.0",
          source: "cli",
        };
        const content = [{ type: "input_text", text: action.prompt }];
        return [
          record("session_meta", { ...meta, timestamp: iso(at), originator: "codex_cli" }, at),
          record("event_msg", { type: "task_started", turn_id: `turn-${turn}` }, at),
          record("response_item", { type: "message", role: "user", content }, at),
          record("event_msg", { type: "user_message", message: action.prompt }, at),
        ];
      }
      if ("list" in action) {
        const plan = action.list.map(([step, status]) => ({ step, status }));
        return [call("update_plan", { plan }, at), output("Plan updated", at)];
      }
      if ("edit" in action) {
        const patch = `*** Begin Patch\n*** Update File: ${action.edit}\n*** End Patch`;
        return [call("apply_patch", { input: patch }, at), exited(0, at)];
      }
      if ("run" in action) {
        const started = call("exec_command", { cmd: action.run }, at);
        return action.exit === undefined ? [started] : [started, exited(action.exit, at)];
      }
      if ("answer" in action) return [exited(action.answer, at)];
      return [record("event_msg", { type: "task_complete", turn_id: `turn-${turn}` }, at)];
    },
  };
}

/** A session file of Gemini CLI, which stores a call together with its result. */
export function geminiTranscript(
  session: string,
  cwd: string,
  startedAt: number,
): TranscriptWriter {
  const stamp = iso(startedAt).slice(0, 16).replaceAll(":", "-");
  const project = cwd.split("/").at(-1) ?? "demo";
  let count = 0;
  const message = (content: string, at: number, toolCalls?: readonly object[]) => ({
    id: `m-${count}`,
    timestamp: iso(at),
    type: "gemini",
    content,
    model: "gemini-pro",
    ...(toolCalls && { toolCalls }),
  });
  const called = (name: string, args: object, output: string, at: number, more: object = {}) => {
    const id = `${name}-${++count}`;
    const result = [{ functionResponse: { id, name, response: { output } } }];
    const call = { id, name, args, result, status: "success", timestamp: iso(at), ...more };
    return [message("", at, [call])];
  };
  const todosOf = (list: readonly RecordedTodo[]) =>
    list.map(([description, status]) => ({ description, status }));
  return {
    file: `.gemini/tmp/${project}/chats/session-${stamp}-${session.slice(0, 8)}.jsonl`,
    records(action, at) {
      if ("prompt" in action)
        return [
          {
            sessionId: session,
            projectHash: "0".repeat(64),
            startTime: iso(at),
            lastUpdated: iso(at),
            kind: "main",
            directories: [cwd],
          },
          {
            id: `p-${++count}`,
            timestamp: iso(at),
            type: "user",
            content: [{ text: action.prompt }],
          },
        ];
      if ("list" in action) {
        const todos = todosOf(action.list);
        return called("write_todos", { todos }, "Saved.", at, { resultDisplay: { todos } });
      }
      if ("edit" in action)
        return called(
          "replace",
          { file_path: action.edit, old_string: "a", new_string: "b" },
          "Done.",
          at,
        );
      if ("run" in action || "answer" in action) {
        const exit = "run" in action ? (action.exit ?? 0) : action.answer;
        const command = "run" in action ? action.run : "";
        const output = `Command: ${command}\nExit Code: ${exit}\nOutput: ${exit === 0 ? "ok" : "1 failed"}`;
        return called("run_shell_command", { command }, output, at);
      }
      count++;
      return [message("Done.", at)];
    },
  };
}
