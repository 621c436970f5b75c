import type { AgentSummary, AgentsResponse } from "../../core/wire.ts";
import type { Context } from "../../home/open.ts";
import type { Feed } from "../../sessions/feed.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import { shellCommand } from "../../setup/shell-command.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { type Route, sendJson } from "./routes.ts";

interface AgentsRouteOptions {
  readonly feed: Feed;
  /** Another home directory to find agents in. */
  readonly userHome?: string | undefined;
  /** Replaces the search for agents. */
  readonly agents?: ((signal: AbortSignal) => Promise<readonly AgentSummary[]>) | undefined;
}

/** Milliseconds for agents' programs to print their version. */
const TIMEOUT = 10_000;

/** The agents on this machine, and the command that a user types to run Waymark. */
export function agentsRoute(
  { home, env }: Pick<Context, "home" | "env">,
  { feed, userHome, agents }: AgentsRouteOptions,
): Route {
  const found = async (signal: AbortSignal): Promise<readonly AgentSummary[]> => {
    const { findAgents: agentsFound } = await import("../../doctor/find-agents.ts");
    const machine = machineOf(env, userHome);
    const lives = feed.tracks().flatMap(({ external }) => external?.live ?? []);
    return agentsFound({ machine, env, home: home.path, lives, signal });
  };
  return {
    method: "GET",
    path: "/api/agents",
    async handle({ response }) {
      const program = shellCommand(env);
      const [script] = thisProgram(env, process.platform).prefixArgs;
      const isRelative = script !== undefined && !program.includes(script);
      const answer: AgentsResponse = {
        agents: await (agents ?? found)(AbortSignal.timeout(TIMEOUT)),
        program,
        ...(isRelative && { folder: process.cwd() }),
      };
      sendJson(response, 200, answer);
    },
  };
}
