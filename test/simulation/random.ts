/** Every choice of a simulation comes from one generator, so a seed replays exactly. */
export interface Random {
  /** A number from 0 to 1, without 1. */
  next(): number;
  /** An integer from 0 to `below` - 1. */
  below(below: number): number;
  /** An integer from `least` to `most`. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  // sfc32, warmed up: neighboring seeds give unrelated numbers.
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, seed >>> 0, Math.floor(seed / 2 ** 32) | 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new RangeError("pick: nothing to choose from");
      return choices[below(choices.length)] as T;
    },
  };
}
