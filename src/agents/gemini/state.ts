import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import type { Counted } from "../common/usage.ts";
import type { Tracker } from "./tracker.ts";

export interface GeminiState extends DecoderState {
  /** The start of the session id, from the name of a chat file. */
  idPrefix?: string;
  /** The agent that wrote the records. */
  agent: string;
  parent: string;
  started: boolean;
  turn: boolean;
  /** The message that is being streamed. */
  message: string;
  /** Calls of a stream whose result is pending. */
  open: Memory<OpenCall>;
  /** Finished calls of a chat file that were reported, with their time. */
  reported: Memory<string>;
  /** Calls up to this time are not reported again, even if their id was dropped from `reported`. */
  horizon: string;
  /** The usage of the last messages. */
  counted: Counted;
  /** Whether any list was emitted. */
  listed: boolean;
  tracker: Tracker;
  /** The list of Waymark's tool. */
  waymarkList: readonly StreamItem[];
  /** The plan file that was last written. */
  plan: PlanFile | null;
  /** The hash and number of lists read from documents. */
  listHash: string;
  listCount: number;
}

export interface OpenCall {
  readonly name: string;
  readonly args: unknown;
}

export interface PlanFile {
  readonly name: string;
  readonly text: string;
}

const ID_PREFIX = /-([\da-f]{8})\.jsonl?$/;

export function startState(source: Source): GeminiState {
  const idPrefix =
    source.session === undefined ? ID_PREFIX.exec(source.path ?? "")?.[1] : undefined;
  return {
    session: source.session ?? "",
    ...(idPrefix !== undefined && { idPrefix }),
    agent: source.agent ?? "main",
    parent: source.parent ?? "",
    started: false,
    turn: false,
    message: "",
    open: [],
    reported: [],
    horizon: "",
    counted: [],
    listed: false,
    tracker: { tasks: [], unmatched: [] },
    waymarkList: [],
    plan: null,
    listHash: "",
    listCount: 0,
  };
}

export function todoIdOf(state: GeminiState): string {
  return `${state.session || "unknown"}-${state.agent}`;
}
