import type { Machine, Place } from "../agent.ts";

const SESSION = /^([A-Za-z0-9-]+)\.jsonl$/;
const AGENT = /^agent-(.+)\.jsonl$/;
const TODOS = /^(.+)-agent-(.+)\.json$/;
const TASK = /^\d+\.json$/;

/** Conversations that the program holds with itself: summaries and suggestions. */
const OWN_AFFAIRS = /^a(?:compact|prompt_suggestion|side_question)-/;

export function places(machine: Machine): readonly Place[] {
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

/** One file for each process that runs, named by its id. */
function processOf(path: readonly string[]): number | undefined {
  const id = /^(\d{1,10})\.json$/.exec(path.length === 1 ? (path[0] ?? "") : "")?.[1];
  return id === undefined ? undefined : Number(id);
}

function homes({ home, env, join }: Machine): readonly string[] {
  if (env.CLAUDE_CONFIG_DIR) return [env.CLAUDE_CONFIG_DIR];
  // Some versions of 2025 followed the XDG folders.
  return [join(home, ".claude"), join(env.XDG_CONFIG_HOME || join(home, ".config"), "claude")];
}

/** `<project>/<session>.jsonl`; subagents beside it (2.0) or in a folder of the session (2.1). */
function transcript(path: readonly string[]): ReturnType<Place["accept"]> {
  const [, second, third] = path;
  const name = path.at(-1) ?? "";
  // Most are sessions, and a pattern costs more than a look.
  const agent = name.startsWith("agent-") ? AGENT.exec(name)?.[1] : undefined;
  if (agent !== undefined && OWN_AFFAIRS.test(agent)) return undefined;
  if (path.length === 2) {
    if (agent !== undefined) return { agent, parent: "main" };
    const session = SESSION.exec(name)?.[1];
    return session === undefined ? undefined : { session };
  }
  if (agent === undefined || second === undefined || third !== "subagents") return undefined;
  return { session: second, agent, parent: "main" };
}

function todos(path: readonly string[]): ReturnType<Place["accept"]> {
  const [, session, agent] = TODOS.exec(path.length === 1 ? (path[0] ?? "") : "") ?? [];
  if (session === undefined || agent === undefined) return undefined;
  return agent === session ? { session } : { session, agent, parent: "main" };
}

/** The folder is named after the session, or after the list that several sessions share. */
function task(path: readonly string[]): ReturnType<Place["accept"]> {
  const [session, name] = path;
  if (path.length !== 2 || session === undefined || !TASK.test(name ?? "")) return undefined;
  return { session };
}
