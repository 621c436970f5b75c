import type { Moment } from "../../core/model.ts";
import type { StreamBody } from "../../core/stream.ts";
import type { Fields } from "../../dialects/values.ts";
import type { ListReader } from "./lists.ts";

/** One agent's hooks: what its events tell, when it may be spoken to, and in which form. */
export interface HookAgent {
  /** What it is called on the command line. */
  readonly name: string;
  /** The dialect that reads its own files: what the tracks of both have in common. */
  readonly agentType: string;
  /** What its model calls our tool, by the environment that hooks are given. */
  readonly tool: (env: Readonly<Record<string, string | undefined>>) => string;
  /** And its own one. */
  readonly nativeTool: string;
  readonly events: Readonly<Record<string, HookEvent>>;
  /** The agent's own list tools by name: what their calls say of the list. */
  readonly lists: Readonly<Record<string, ListReader>>;
}

export interface HookEvent {
  readonly pace: Pace;
  /** What happened. */
  observe(input: Fields): readonly StreamBody[];
  /** For which moment of the conversation an answer is asked. */
  moment?(input: Fields): Moment | undefined;
  /** The answer in the agent's own form. */
  answer?(text: string): unknown;
}

/**
 * How often an answer is thought about: `record` never, `step`, `prompt` and `stop` when one may be
 * due, `ask` every time.
 */
export type Pace = "record" | "step" | "prompt" | "stop" | "ask";

/** By the name that a stranger gave it: an object knows more names than were put into it. */
export function eventNamed(agent: HookAgent | undefined, name: string): HookEvent | undefined {
  return agent && Object.hasOwn(agent.events, name) ? agent.events[name] : undefined;
}

export function listNamed(agent: HookAgent, tool: string | undefined): ListReader | undefined {
  return tool !== undefined && Object.hasOwn(agent.lists, tool) ? agent.lists[tool] : undefined;
}
