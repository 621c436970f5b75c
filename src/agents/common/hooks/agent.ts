import type { Fields } from "../values.ts";
import type { HookEvent } from "./events.ts";
import type { ListReader } from "./lists.ts";

/** An agent with hooks. */
export interface HookAgent extends AgentHooks {
  /** AGENT in `waymark hook AGENT EVENT`. */
  readonly name: string;
  /** Id of the agent: its hooks and its session files write tracks of the same type. */
  readonly agentType: string;
}

/** One agent's hooks: what its events tell, when it may be spoken to, and in which form. */
export interface AgentHooks {
  /** What its model calls our tool, by the environment that hooks are given. */
  readonly tool: (env: Readonly<Record<string, string | undefined>>) => string;
  /** Its own list tool, by that environment and by the tool that the session wrote with, if any. */
  readonly nativeTool: (
    env: Readonly<Record<string, string | undefined>>,
    used: string | undefined,
  ) => string;
  /** It may hide tools until the model searches for them. */
  readonly defersTools?: true;
  readonly events: Readonly<Record<string, HookEvent>>;
  /**
   * Tools that run a subagent whose own calls are reported as calls of the session, without an id of
   * the subagent.
   */
  readonly subagentTools?: readonly string[];
  /** Reads events that the program names and shapes in its own way. */
  readonly native?: (event: string, input: Fields) => NativeEvent | undefined;
  /** The transcript that ends with the agent's last words, where a Stop event may lack them. */
  readonly transcript?: (input: Fields) => string | undefined;
  /** The agent's own list tools by name: what their calls say of the list. */
  readonly lists: Readonly<Record<string, ListReader>>;
}

/** An event in the common form. */
export interface NativeEvent {
  readonly event: string;
  readonly input: Fields;
}

/** By the name that a stranger gave it: an object knows more names than were put into it. */
export function eventNamed(agent: HookAgent | undefined, name: string): HookEvent | undefined {
  return agent && Object.hasOwn(agent.events, name) ? agent.events[name] : undefined;
}

export function listNamed(agent: HookAgent, tool: string | undefined): ListReader | undefined {
  return tool !== undefined && Object.hasOwn(agent.lists, tool) ? agent.lists[tool] : undefined;
}
