import type { StreamItem } from "../../core/stream/events.ts";
import type { DialectState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";

export interface QwenState extends DialectState {
  /** The place of a file says which session it is, whatever stands in it. */
  fixed?: true;
  /** Whose records these are, where a record does not say. */
  agent: string;
  parent: string;
  /** Agents that were announced. */
  started: Memory<true>;
  turn: boolean;
  /** The first prompt of a transcript, until the session can be announced. */
  prompt: Prompt | null;
  /** Calls that wait for their result. */
  open: Memory<OpenCall>;
  /** Subagents by what the records call them: the call that started them, or a name. */
  agents: Memory<string>;
  /** Lists of our own tool, by agent. */
  native: Memory<readonly StreamItem[]>;
  /** What was last said of the document. */
  print: string;
  prints: number;
}

export interface OpenCall {
  readonly name: string;
  readonly args: unknown;
}

export interface Prompt {
  readonly text: string;
  readonly key: string | undefined;
  readonly at: string | undefined;
}

export function startState(source: Source): QwenState {
  const fixed = source.kind !== "stream" && source.session !== undefined;
  return {
    session: source.session ?? "",
    ...(fixed && { fixed }),
    agent: source.agent ?? "main",
    parent: source.parent ?? "",
    started: [],
    turn: false,
    prompt: null,
    open: [],
    agents: [],
    native: [],
    print: "",
    prints: 0,
  };
}

export function enterSession(state: QwenState, session: string | undefined): void {
  if (!state.fixed && session !== undefined) state.session = session;
}
