import { fileURLToPath } from "node:url";
import { start, waymark } from "../cli/running.ts";

/** A step of an agent: it runs a hook, or calls `todos` of its MCP server. */
export type AgentStep =
  | { readonly hook: string; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly call: unknown; readonly meta?: Readonly<Record<string, unknown>> };

export interface AgentProcess {
  /** The name on the command line, and the name that its MCP client sends. */
  readonly agent: string;
  readonly client: string;
  readonly session: string;
}

const SCRIPT = fileURLToPath(new URL("agent-process.mjs", import.meta.url));

/** Runs the steps in one process of the agent. Returns the answers in order. */
export async function runAgentProcess(
  home: string,
  agent: AgentProcess,
  steps: readonly AgentStep[],
): Promise<readonly string[]> {
  const script = JSON.stringify({ ...agent, cwd: process.cwd(), steps });
  const env = { WAYMARK_HOME: home, HOME: home };
  const { stdout, stderr, code } = await start(process.execPath, [SCRIPT, script], env).finished;
  if (code !== 0) throw new Error(`the agent ended with ${code}: ${stderr}`);
  return stdout
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

export interface ListedTrack {
  readonly session: string;
  readonly agent: string;
  readonly todos: readonly string[];
}

/** Every list of the home, with its session, agent and todos. */
export async function listsIn(home: string): Promise<readonly ListedTrack[]> {
  const env = { WAYMARK_HOME: home, HOME: home };
  const json = async (...args: string[]) =>
    JSON.parse((await waymark([...args, "--json"], "", env)).stdout.toString());
  const tracks: { session: string; agent: string }[] = await json("ls", "--all");
  return Promise.all(
    tracks.map(async ({ session, agent }) => {
      const shown = await json("todos", "--session", session, "--agent", agent);
      const todos = shown.todos.map(
        ({ text, status }: { text: string; status: string }) => `${text}: ${status}`,
      );
      return { session, agent, todos };
    }),
  );
}

/** The hook events before and after a tool call. */
export function toolCall(
  names: readonly [before: string, after: string],
  input: Readonly<Record<string, unknown>>,
  within: readonly AgentStep[] = [],
): readonly AgentStep[] {
  const [before, after] = names;
  return [
    { hook: before, input },
    ...within,
    { hook: after, input: { ...input, tool_response: { llmContent: "done" } } },
  ];
}
