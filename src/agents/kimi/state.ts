import type { StreamItem } from "../../core/stream/events.ts";
import type { Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import { type RowState, startState } from "../table/state.ts";

export interface KimiState extends RowState {
  agent: string;
  parent: string;
  /** The models by their names in the configuration, which usage records have. */
  models: Memory<string>;
  /** The list of Waymark's tool. */
  waymarkList: readonly StreamItem[];
}

export function startKimi(source: Source): KimiState {
  return {
    ...startState(source),
    agent: source.agent ?? "main",
    parent: source.parent ?? "",
    models: [],
    waymarkList: [],
  };
}

export function todoIdOf({ session, agent }: KimiState): string {
  return `${session || "unknown"}-${agent}`;
}
