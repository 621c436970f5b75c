import { type Counts, countsOf, usageFrom } from "../../core/activity/packed-usage.ts";
import { NO_USAGE, type Usage } from "../../core/activity/usage.ts";
import type { Memory } from "./memory.ts";
import { type Fields, number } from "./values.ts";

/** Reads a count of tokens. Anything but a whole number of at least 0 counts as missing. */
export function count(value: unknown): number {
  const given = number(value) ?? 0;
  return Number.isSafeInteger(given) && given > 0 ? given : 0;
}

/** Names of the fields of a vendor's record. */
export interface UsageShape {
  /** Fields with input tokens; they are added up. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  /** The part of `cacheWrite` that is kept for an hour. */
  readonly cacheWriteHour?: string;
  readonly reasoning?: string;
  /** The input includes the tokens that were read from a cache, and those that were written to it. */
  readonly inputHasCache?: true;
  /** All tokens. If it has room for the reasoning beside the output, the output does not include the reasoning. */
  readonly total?: string;
}

/** Reads the usage of one request, in the same terms for all vendors. Undefined if every count is 0. */
export function usageOf(given: Fields, shape: UsageShape): Usage | undefined {
  const sum = (names: readonly string[]) =>
    names.reduce((all, name) => all + count(given[name]), 0);
  const named = (name: string | undefined) => (name === undefined ? 0 : count(given[name]));
  const cacheRead = named(shape.cacheRead);
  const cacheWrite = named(shape.cacheWrite);
  const reasoning = named(shape.reasoning);
  const cacheWriteHour = named(shape.cacheWriteHour);
  const input = sum(shape.input) - (shape.inputHasCache ? cacheRead + cacheWrite : 0);
  const answer = sum(shape.output);
  const prompt = sum(shape.input) + (shape.inputHasCache ? 0 : cacheRead + cacheWrite);
  const isBeside = named(shape.total) >= prompt + answer + reasoning;
  const output = answer + (isBeside ? reasoning : 0);
  const usage = {
    input: Math.max(0, input),
    output,
    cacheRead,
    cacheWrite,
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
    reasoning,
    requests: 1,
  };
  return isNothing({ ...usage, requests: 0 }) ? undefined : usage;
}

export function isNothing(usage: Usage): boolean {
  return COUNTS.every((name) => usage[name] === 0);
}

type Count = Exclude<keyof Usage, "cacheWriteHour">;
const COUNTS = Object.keys(NO_USAGE) as readonly Count[];

/** Subtracts earlier counts; undefined if nothing was added. */
export function difference(now: Usage, before: Usage): Usage | undefined {
  const cacheWriteHour = (now.cacheWriteHour ?? 0) - (before.cacheWriteHour ?? 0);
  const usage = {
    input: now.input - before.input,
    output: now.output - before.output,
    cacheRead: now.cacheRead - before.cacheRead,
    cacheWrite: now.cacheWrite - before.cacheWrite,
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
    reasoning: now.reasoning - before.reasoning,
    requests: now.requests - before.requests,
  };
  return isNothing(usage) ? undefined : usage;
}

/** The last requests with the usage that was counted for them, by request id, oldest first. Plain JSON data. */
export type Counted = Memory<Counts>;

/** A request is recorded several times while it lasts. Several last at the same time only with subagents. */
const MAX_COUNTED = 16;

/**
 * Counts a request whose record is written several times, with usage that grows: returns what is new since its last
 * record.
 */
export function countOnce(counted: Counted, id: string, usage: Usage): Usage | undefined {
  for (let index = counted.length - 1; index >= 0; index--) {
    const known = counted[index];
    if (!known || known[0] !== id) continue;
    const before = known[1];
    known[1] = countsOf(usage);
    return difference(usage, usageFrom(before));
  }
  counted.push([id, countsOf(usage)]);
  if (counted.length > MAX_COUNTED) counted.shift();
  return usage;
}

/**
 * Counts a total that grows from record to record: returns what is new. A total that is smaller than the last one
 * started again from 0.
 */
export function countTotal(last: Usage | undefined, total: Usage): Usage | undefined {
  const isReset = last && COUNTS.some((name) => total[name] < last[name]);
  return difference(total, isReset || !last ? NO_USAGE : last);
}

/** The key of the event for a request: unique even if its usage grew. */
export function keyOf(id: string, usage: Usage, added: Usage): string {
  return added.requests > 0 ? id : [id, ...COUNTS.map((name) => usage[name])].join(".");
}
