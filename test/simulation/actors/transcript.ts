import { readFileSync } from "../platform/fs.ts";

/** A todo as Claude Code writes it. */
export interface WrittenTodo {
  readonly content: string;
  readonly status: string;
  readonly activeForm: string;
}

/** The lines of a session of Claude Code. */
export function transcriptLines(session: string, cwd: string) {
  let lines = 0;
  const line = (at: number, fields: object): string =>
    `${JSON.stringify({
      ...fields,
      uuid: `${session}-${lines++}`,
      timestamp: new Date(at).toISOString(),
      cwd,
      sessionId: session,
      version: "2.0.77",
    })}\n`;
  return {
    prompt: (at: number, text: string) =>
      line(at, { type: "user", message: { role: "user", content: text } }),
    call: (at: number, id: string, name: string, input: unknown) =>
      line(at, {
        type: "assistant",
        message: {
          id: `msg_${id}`,
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [{ type: "tool_use", id, name, input }],
        },
      }),
    result: (at: number, id: string, content: string, toolUseResult?: object) =>
      line(at, {
        type: "user",
        message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content }] },
        ...(toolUseResult && { toolUseResult }),
      }),
  };
}

/** Every list that the complete lines of a transcript confirm, oldest first. */
export function listsIn(path: string): readonly (readonly WrittenTodo[])[] {
  const calls = new Map<string, readonly WrittenTodo[]>();
  const lists: (readonly WrittenTodo[])[] = [];
  for (const text of String(readFileSync(path, "utf8")).split("\n").slice(0, -1)) {
    const content = contentOf(text);
    if (!Array.isArray(content)) continue;
    for (const { type, id, name, input, tool_use_id } of content) {
      if (type === "tool_use" && name === "TodoWrite") calls.set(id, input.todos);
      const written = type === "tool_result" ? calls.get(tool_use_id) : undefined;
      if (written) lists.push(written);
    }
  }
  return lists;
}

function contentOf(line: string) {
  try {
    return JSON.parse(line)?.message?.content;
  } catch {
    // Torn.
    return undefined;
  }
}
