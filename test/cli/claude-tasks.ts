/** Writes the records of a Claude Code session that works with the Task tools. */
export interface TaskSession {
  create(id: number, subject: string, at: number): TaskSession;
  move(id: number, status: string, at: number): TaskSession;
  /** Several tasks in one message: all calls come before the first result. */
  createAll(subjects: readonly string[], at: number): TaskSession;
  message(text: string, at: number): TaskSession;
  text(): string;
}

export function taskSession(
  session: string,
  { cwd = "/srv/shop", agent }: { readonly cwd?: string; readonly agent?: string } = {},
): TaskSession {
  const lines: string[] = [];
  let count = 0;
  const write = (type: "user" | "assistant", message: object, at: number, more: object = {}) =>
    lines.push(
      JSON.stringify({
        parentUuid: null,
        isSidechain: agent !== undefined,
        ...(agent !== undefined && { agentId: agent }),
        userType: "external",
        type,
        message,
        uuid: `${agent ?? "main"}-${lines.length}`,
        timestamp: new Date(at).toISOString(),
        cwd,
        sessionId: session,
        version: "2.1.325",
        ...more,
      }),
    );
  const assistant = (content: object, at: number) =>
    write(
      "assistant",
      { id: `msg_${++count}`, role: "assistant", model: "claude-x", content: [content] },
      at,
    );
  const ask = (name: string, input: object, at: number): string => {
    const id = `toolu_${agent ?? "main"}_${count + 1}`;
    assistant({ type: "tool_use", id, name, input }, at);
    return id;
  };
  const answer = (id: string, content: string, result: object, at: number) =>
    write(
      "user",
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
      at,
      { toolUseResult: result },
    );
  const created = (call: string, id: number, subject: string, at: number) =>
    answer(call, `Task #${id} created`, { task: { id: `${id}`, subject } }, at);
  const self: TaskSession = {
    create(id, subject, at) {
      created(ask("TaskCreate", { subject, description: "" }, at), id, subject, at);
      return self;
    },
    move(id, status, at) {
      const call = ask("TaskUpdate", { taskId: `${id}`, status }, at);
      const result = { success: true, taskId: `${id}`, statusChange: { to: status } };
      answer(call, `Updated task #${id}`, result, at);
      return self;
    },
    createAll(subjects, at) {
      const calls = subjects.map((subject) => ask("TaskCreate", { subject }, at));
      for (const [place, call] of calls.entries())
        created(call, place + 1, subjects[place] ?? "", at + 1);
      return self;
    },
    message(text, at) {
      assistant({ type: "text", text }, at);
      return self;
    },
    text: () => lines.map((line) => `${line}\n`).join(""),
  };
  return self;
}

/** One task as Claude Code stores it in a file. */
export function taskFile(id: number, subject: string, status = "pending"): string {
  return JSON.stringify(
    { id: `${id}`, subject, description: "", status, blocks: [], blockedBy: [] },
    null,
    2,
  );
}
