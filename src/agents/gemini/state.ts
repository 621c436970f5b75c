import type { StreamItem } from "../../core/stream/events.ts";
import type { DialectState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import type { Tracker } from "./tracker.ts";

export interface GeminiState extends DialectState {
  /** What the name of a chat file has of its session's id. */
  named?: string;
  /** Whose records these are. */
  agent: string;
  parent: string;
  started: boolean;
  turn: boolean;
  /** What the model is saying, while it comes in pieces. */
  saying: string;
  /** Calls of a stream that wait for their result. */
  open: Memory<OpenCall>;
  /** Finished calls of a chat file that were told, with their time. */
  told: Memory<string>;
  /** No call that finished up to then is told again, though its id was forgotten. */
  horizon: string;
  /** Whether a list was ever accepted. */
  listed: boolean;
  tracker: Tracker;
  /** The list of our own tool. */
  native: readonly StreamItem[];
  /** The plan file that was last written. */
  plan: PlanFile | null;
  /** What was last said of documents. */
  print: string;
  prints: number;
}

export interface OpenCall {
  readonly name: string;
  readonly args: unknown;
}

export interface PlanFile {
  readonly name: string;
  readonly text: string;
}

const NAMED = /-([\da-f]{8})\.jsonl?$/;

export function startState(source: Source): GeminiState {
  const named = source.session === undefined ? NAMED.exec(source.path ?? "")?.[1] : undefined;
  return {
    session: source.session ?? "",
    ...(named !== undefined && { named }),
    agent: source.agent ?? "main",
    parent: source.parent ?? "",
    started: false,
    turn: false,
    saying: "",
    open: [],
    told: [],
    horizon: "",
    listed: false,
    tracker: { tasks: [], loose: [] },
    native: [],
    plan: null,
    print: "",
    prints: 0,
  };
}

export function todoIdOf(state: GeminiState): string {
  return `${state.session || "unknown"}-${state.agent}`;
}
