import type { Usage } from "../../core/activity/usage.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";

export interface QwenState extends DecoderState {
  /** The session id is from the path and takes precedence over the content. */
  fixed?: true;
  /** The agent of records that name none. */
  agent: string;
  parent: string;
  /** Agents that were announced. */
  started: Memory<true>;
  turn: boolean;
  /** The first prompt of a transcript, until the session can be announced. */
  prompt: Prompt | null;
  /** Pending calls. */
  open: Memory<OpenCall>;
  /** Ids of subagents, by the call that started them or by name. */
  agents: Memory<string>;
  /** The lists of Waymark's tool, by agent. */
  waymarkLists: Memory<readonly StreamItem[]>;
  /** The total usage of the process, and the model, from live output. */
  used?: Usage;
  model?: string;
  /** The hash and number of lists read from the document. */
  listHash: string;
  listCount: number;
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
    waymarkLists: [],
    listHash: "",
    listCount: 0,
  };
}

export function enterSession(state: QwenState, session: string | undefined): void {
  if (!state.fixed && session !== undefined) state.session = session;
}
