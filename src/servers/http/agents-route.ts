import type { AgentSummary, AgentsAnswer } from "../../core/wire.ts";
import type { Context } from "../../home/open.ts";
import type { Feed } from "../../sessions/feed.ts";
import { machineOf } from "../../sessions/transcripts/agents.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { typedHere } from "../../setup/typed-program.ts";
import { type Route, sendJson } from "./routes.ts";

interface AgentsRouteOptions {
  readonly feed: Feed;
  /** The agents in another home directory. */
  readonly userHome?: string | undefined;
  /** Summaries to use instead. */
  readonly agents?: ((signal: AbortSignal) => Promise<readonly AgentSummary[]>) | undefined;
}

/** Milliseconds that programs of agents have to tell their version. */
const PATIENCE = 10_000;

/** Tells the page which agents are on this machine, and what a user types to run this program. */
export function agentsRoute(
  { home, env }: Pick<Context, "home" | "env">,
  { feed, userHome, agents }: AgentsRouteOptions,
): Route {
  const found = async (signal: AbortSignal): Promise<readonly AgentSummary[]> => {
    const { agentsFound } = await import("../../doctor/agents-found.ts");
    const machine = machineOf(env, userHome);
    const lives = feed.tracks().flatMap(({ foreign }) => foreign?.live ?? []);
    return agentsFound({ machine, env, home: home.path, lives, signal });
  };
  return {
    method: "GET",
    path: "/api/agents",
    async handle({ response }) {
      const program = typedHere(env);
      const [script] = thisProgram(env, process.platform).before;
      const isRelative = script !== undefined && !program.includes(script);
      const answer: AgentsAnswer = {
        agents: await (agents ?? found)(AbortSignal.timeout(PATIENCE)),
        program,
        ...(isRelative && { folder: process.cwd() }),
      };
      sendJson(response, 200, answer);
    },
  };
}
