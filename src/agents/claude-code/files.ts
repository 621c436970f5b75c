import type { Machine, SessionLocation } from "../agent.ts";

const SESSION = /^([A-Za-z0-9-]+)\.jsonl$/;
const AGENT = /^agent-(.+)\.jsonl$/;
const TODOS = /^(.+)-agent-(.+)\.json$/;
const TASK = /^\d+\.json$/;

/** Internal agents of Claude Code: summaries and suggestions. */
const INTERNAL_AGENT = /^a(?:compact|prompt_suggestion|side_question)-/;

export function locations(machine: Machine): readonly SessionLocation[] {
  return homes(machine).flatMap((home) => [
    { root: machine.join(home, "projects"), depth: 5, kind: "file" as const, accept: transcript },
    { root: machine.join(home, "todos"), depth: 0, kind: "document" as const, accept: todos },
    {
      root: machine.join(home, "tasks"),
      depth: 1,
      kind: "document" as const,
      together: true as const,
      accept: task,
    },
    {
      root: machine.join(home, "sessions"),
      depth: 0,
      kind: "document" as const,
      process: processOf,
      accept: (path: readonly string[]) => (processOf(path) === undefined ? undefined : {}),
    },
  ]);
}

/** The process id in the name of a file of `sessions`: one file per running process. */
function processOf(path: readonly string[]): number | undefined {
  const id = /^(\d{1,10})\.json$/.exec(path.length === 1 ? (path[0] ?? "") : "")?.[1];
  return id === undefined ? undefined : Number(id);
}

function homes({ home, env, join }: Machine): readonly string[] {
  if (env.CLAUDE_CONFIG_DIR) return [env.CLAUDE_CONFIG_DIR];
  // Some versions of 2025 used the XDG directories.
  return [join(home, ".claude"), join(env.XDG_CONFIG_HOME || join(home, ".config"), "claude")];
}

/** `<project>/<session>.jsonl`; subagents beside it (2.0) or in a directory of the session (2.1). */
function transcript(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, second, third] = path;
  const name = path.at(-1) ?? "";
  // Most files are sessions, and `startsWith` is faster than a regular expression.
  const agent = name.startsWith("agent-") ? AGENT.exec(name)?.[1] : undefined;
  if (agent !== undefined && INTERNAL_AGENT.test(agent)) return undefined;
  if (path.length === 2) {
    if (agent !== undefined) return { agent, parent: "main" };
    const session = SESSION.exec(name)?.[1];
    return session === undefined ? undefined : { session };
  }
  if (agent === undefined || second === undefined || third !== "subagents") return undefined;
  return { session: second, agent, parent: "main" };
}

function todos(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, session, agent] = TODOS.exec(path.length === 1 ? (path[0] ?? "") : "") ?? [];
  if (session === undefined || agent === undefined) return undefined;
  return agent === session ? { session } : { session, agent, parent: "main" };
}

/** The directory is named after the session, or after a list that several sessions share. */
function task(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [session, name] = path;
  if (path.length !== 2 || session === undefined || !TASK.test(name ?? "")) return undefined;
  return { session };
}
