/** Tokens and requests of a model, as the agent's own records count them. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly input: number;
  /** Output tokens, with those of the reasoning. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
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
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    requests: a.requests + b.requests,
  };
}
