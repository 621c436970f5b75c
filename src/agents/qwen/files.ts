import type { Machine, SessionLocation } from "../agent.ts";

export function locations(machine: Machine): readonly SessionLocation[] {
  const { env, home, join } = machine;
  const root = env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(home, ".qwen");
  return [
    { root: join(root, "projects"), depth: 3, kind: "file", accept: transcript },
    { root: join(root, "todos"), depth: 0, kind: "document", accept: todoFile },
  ];
}

/** `<folder>/chats/<session>.jsonl`, or `<folder>/subagents/<session>/agent-<agent>.jsonl`. */
function transcript(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, kind, third = "", fourth] = path;
  if (kind === "chats" && path.length === 3) {
    const session = /^(.+)\.jsonl$/.exec(third)?.[1];
    return session === undefined ? undefined : { session };
  }
  if (kind !== "subagents" || path.length !== 4) return undefined;
  const agent = /^agent-(.+)\.jsonl$/.exec(fourth ?? "")?.[1];
  return agent === undefined ? undefined : { session: third, agent, parent: "main" };
}

function todoFile(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const session = path.length === 1 ? /^(.+)\.json$/.exec(path[0] ?? "")?.[1] : undefined;
  return session === undefined ? undefined : { session };
}
