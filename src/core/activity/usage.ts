/** Tokens and requests of a model, as the agent's own records count them. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly input: number;
  /** Output tokens, with those of the reasoning. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that the cache keeps for an hour, if the agent reports it: it costs more. */
  readonly cacheWriteHour?: number;
  /** The part of `output` that the model spent on reasoning, if the agent reports it. */
  readonly reasoning: number;
  readonly requests: number;
}

export const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  requests: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWriteHour = (a.cacheWriteHour ?? 0) + (b.cacheWriteHour ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
    reasoning: a.reasoning + b.reasoning,
    requests: a.requests + b.requests,
  };
}

/** Usage of a track, split by time, todo and model. The parts add up to the whole. */
export interface TrackUsage {
  readonly parts: readonly UsagePart[];
  /** Texts of the todos in `parts`, by id: earlier lists are no longer in the track. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Usage in one quarter of an hour, for one todo and one model. */
export interface UsagePart {
  /** Start of the quarter of an hour, in milliseconds since 1970. */
  readonly at: number;
  /** The todo in progress, by id; absent if there was none. */
  readonly todo?: string;
  /** The model as the agent names it; absent if it does not. */
  readonly model?: string;
  readonly usage: Usage;
}
