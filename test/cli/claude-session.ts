/** Writes a session file as Claude Code does, record by record, at given times. */
export interface ClaudeSession {
  prompt(text: string, at: number): ClaudeSession;
  todos(todos: readonly (readonly [string, string])[], at: number): ClaudeSession;
  /** A list write that the agent's own tool refused. */
  refused(why: string, at: number): ClaudeSession;
  /** A call with its result; without a result it is still running. */
  call(name: string, input: unknown, at: number, answer?: string): ClaudeSession;
  /** A call whose result is an error. */
  failed(name: string, input: unknown, at: number, answer: string): ClaudeSession;
  /** A message with the tokens that it used. */
  used(model: string, usage: Readonly<Record<string, unknown>>, at: number): ClaudeSession;
  end(at: number): ClaudeSession;
  text(): string;
}

export function claudeSession(session: string, cwd: string): ClaudeSession {
  const lines: string[] = [];
  let count = 0;
  const write = (type: "user" | "assistant", message: object, at: number, more: object = {}) => {
    lines.push(
      JSON.stringify({
        parentUuid: null,
        isSidechain: false,
        type,
        message,
        uuid: `u${lines.length}`,
        timestamp: new Date(at).toISOString(),
        cwd,
        sessionId: session,
        version: "2.1.325",
        ...more,
      }),
    );
  };
  const ask = (name: string, input: unknown, at: number): string => {
    const id = `toolu_${++count}`;
    const content = [{ type: "tool_use", id, name, input }];
    const message = { id: `msg_${count}`, role: "assistant", model: "claude-x", content };
    write("assistant", { ...message, stop_reason: "tool_use" }, at);
    return id;
  };
  const answer = (id: string, content: string, at: number, result?: object) =>
    write(
      "user",
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
      at,
      result && { toolUseResult: result },
    );
  const self: ClaudeSession = {
    prompt(text, at) {
      write("user", { role: "user", content: text }, at);
      return self;
    },
    todos(todos, at) {
      const newTodos = todos.map(([content, status]) => ({ content, status, activeForm: content }));
      answer(ask("TodoWrite", { todos: newTodos }, at), "written", at, { oldTodos: [], newTodos });
      return self;
    },
    refused(why, at) {
      const id = ask("TodoWrite", { todos: "none" }, at);
      const result = { type: "tool_result", tool_use_id: id, content: why, is_error: true };
      write("user", { role: "user", content: [result] }, at);
      return self;
    },
    call(name, input, at, result) {
      const id = ask(name, input, at);
      if (result !== undefined) answer(id, result, at);
      return self;
    },
    failed(name, input, at, content) {
      const id = ask(name, input, at);
      const result = { type: "tool_result", tool_use_id: id, content, is_error: true };
      write("user", { role: "user", content: [result] }, at);
      return self;
    },
    used(model, usage, at) {
      const content = [{ type: "text", text: "Next." }];
      const message = { id: `used_${++count}`, role: "assistant", model, content, usage };
      write("assistant", { ...message, stop_reason: "tool_use" }, at);
      return self;
    },
    end(at) {
      const content = [{ type: "text", text: "Done." }];
      const message = { id: `end_${at}`, role: "assistant", model: "claude-x", content };
      write("assistant", { ...message, stop_reason: "end_turn" }, at);
      return self;
    },
    text: () => lines.map((line) => `${line}\n`).join(""),
  };
  return self;
}
