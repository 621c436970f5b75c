export type Range = readonly [from: number, to: number];
export function failureOfGrowth(
  run: (input: Buffer) => string | undefined | Promise<string | undefined>,
  input: Buffer,
  range: Range,
): Promise<string | undefined>;
export function rangeOf(name: string): Range | undefined;
