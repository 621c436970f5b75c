import type { Fields } from "../values.ts";
import type { HookEvent } from "./events.ts";
import type { ListReader } from "./lists.ts";

/** An agent that sends hook events. */
export interface HookAgent extends AgentHooks {
  /** AGENT in `waymark hook AGENT EVENT`. */
  readonly name: string;
  /** The id of the agent. Events of its hooks and of its session files belong to the same track. */
  readonly agentType: string;
}

/** The hooks of one agent: what its events report, when they may be answered, and in which format. */
export interface AgentHooks {
  /** The name that the model sees for Waymark's list tool, from the environment of the hook. */
  readonly waymarkTool: (env: Readonly<Record<string, string | undefined>>) => string;
  /** The name of the agent's own list tool, from the environment and the tool that the session wrote with. */
  readonly nativeTool: (
    env: Readonly<Record<string, string | undefined>>,
    used: string | undefined,
  ) => string;
  /** The agent may hide tools until the model searches for them. */
  readonly defersTools?: true;
  readonly events: Readonly<Record<string, HookEvent>>;
  /** Tools that run a subagent whose calls are reported as calls of the session, without a subagent id. */
  readonly subagentTools?: readonly string[];
  /** Those subagents send Stop events, without an id as well. */
  readonly subagentsStop?: true;
  /** Converts an event of the agent's own format into a common one. */
  readonly normalize?: (event: string, input: Fields) => NormalizedEvent | undefined;
  /** The path of the transcript with the agent's last message, for Stop events that lack it. */
  readonly transcript?: (input: Fields) => string | undefined;
  /** The agent's own tools that edit files. */
  readonly editTools?: readonly string[];
  /** Readers for the calls of the agent's own list tools, by tool name. */
  readonly listTools: Readonly<Record<string, ListReader>>;
}

/** A hook event in the common format: an event name of `events`, and its input. */
export interface NormalizedEvent {
  readonly event: string;
  readonly input: Fields;
}

/** Finds an event. The name is untrusted, so inherited properties such as `constructor` do not count. */
export function findEvent(agent: HookAgent | undefined, name: string): HookEvent | undefined {
  return agent && Object.hasOwn(agent.events, name) ? agent.events[name] : undefined;
}

export function findListReader(agent: HookAgent, tool: string | undefined): ListReader | undefined {
  return tool !== undefined && Object.hasOwn(agent.listTools, tool)
    ? agent.listTools[tool]
    : undefined;
}
