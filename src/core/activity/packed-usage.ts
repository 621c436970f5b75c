import type { Focus, TrackUsage, Usage, UsagePart } from "./usage.ts";

/** The counts of a usage as an array: a third of the size as JSON, and faster to parse. */
export type Counts = readonly number[];

export function countsOf(usage: Usage): Counts {
  const { input, output, cacheRead, cacheWrite, reasoning, requests, cacheWriteHour } = usage;
  return cacheWriteHour === undefined
    ? [input, output, cacheRead, cacheWrite, reasoning, requests]
    : [input, output, cacheRead, cacheWrite, reasoning, requests, cacheWriteHour];
}

export function usageFrom(counts: Counts): Usage {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0, requests = 0] =
    counts;
  const usage = { input, output, cacheRead, cacheWrite, reasoning, requests };
  const cacheWriteHour = counts[6];
  return cacheWriteHour === undefined ? usage : { ...usage, cacheWriteHour };
}

/** The usage of a track as it is stored. */
export interface PackedUsage {
  /** Models and ids of todos. */
  readonly names: readonly string[];
  /** Time after the part before, positions of todo and model in `names` (-1: none), counts. */
  readonly parts: readonly (readonly number[])[];
  readonly texts: TrackUsage["texts"];
  readonly focus: readonly Focus[];
}

const NONE = -1;

export function packUsage({ parts, texts, focus }: TrackUsage): PackedUsage {
  const names: string[] = [];
  const positionOf = (name: string | undefined): number => {
    if (name === undefined) return NONE;
    const known = names.indexOf(name);
    return known === -1 ? names.push(name) - 1 : known;
  };
  let last = 0;
  const packed = parts.map(({ at, todo, model, usage }) => {
    const after = at - last;
    last = at;
    return [after, positionOf(todo), positionOf(model), ...countsOf(usage)];
  });
  return { names, parts: packed, texts, focus };
}

export function unpackUsage({ names, parts, texts, focus }: PackedUsage): TrackUsage {
  let at = 0;
  const unpacked = parts.map(([after = 0, todoAt = NONE, modelAt = NONE, ...counts]): UsagePart => {
    at += after;
    const todo = names[todoAt];
    const model = names[modelAt];
    return {
      at,
      ...(todo !== undefined && { todo }),
      ...(model !== undefined && { model }),
      usage: usageFrom(counts),
    };
  });
  return { parts: unpacked, texts, focus };
}
