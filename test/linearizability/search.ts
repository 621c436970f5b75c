/** One call of a client. The times are microseconds of a clock that all processes share. */
export interface Operation<I, O> {
  readonly client: string;
  readonly from: number;
  readonly to: number;
  readonly input: I;
  /** Undefined if the outcome is unknown: the call may take effect at any time after `from`, or never. */
  readonly output?: O | undefined;
}

/** Specifies an object whose operations run one after the other. */
export interface Model<S, I, O> {
  readonly initial: S;
  /** The state after the operation; undefined if it cannot have its output in this state. */
  step(state: S, operation: Operation<I, O>): S | undefined;
  /** Equal for equal states. */
  key(state: S): string;
}

/** An order of some operations, and the state after them. */
interface Position<S> {
  /** All completed operations before this index are in the order. */
  readonly low: number;
  /** Later completed operations in the order. */
  readonly later: readonly number[];
  /** Operations without a known outcome in the order. */
  readonly open: readonly number[];
  readonly state: S;
}

const MOST_POSITIONS = 2_000_000;
const byStart = <T extends { readonly from: number }>(all: readonly T[]) =>
  all.toSorted((a, b) => a.from - b.from);
const added = (all: readonly number[], index: number) => [...all, index].sort((a, b) => a - b);

/**
 * Searches an order of the operations that respects real time and that the model allows, as Wing and Gong do,
 * and visits each position once, as Lowe does. Calls `visit` for each position that orders every operation that
 * ended before `end`, until it returns true. Operations that start at `end` or later are left out.
 */
function search<S, I, O>(
  model: Model<S, I, O>,
  operations: readonly Operation<I, O>[],
  end: number,
  visit: (position: Position<S>) => boolean,
): boolean {
  const begun = byStart(operations.filter(({ from }) => from < end));
  const completed = begun.filter(({ output }) => output !== undefined);
  const open = begun.filter(({ output }) => output === undefined);
  const seen = new Set<string>();
  const stack: Position<S>[] = [{ low: 0, later: [], open: [], state: model.initial }];
  for (let position = stack.pop(); position; position = stack.pop()) {
    const { low, later, open: taken, state } = position;
    const before = model.key(state);
    const key = `${low}|${later}|${taken}|${before}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > MOST_POSITIONS)
      throw new Error(`undecided after ${MOST_POSITIONS} positions of ${begun.length} operations`);
    // An operation may come next unless another one, which is not in the order, ended before it started.
    let first = Number.POSITIVE_INFINITY;
    const next: number[] = [];
    for (let index = low; (completed[index]?.from ?? Number.NaN) <= first; index++) {
      if (later.includes(index)) continue;
      next.push(index);
      first = Math.min(first, completed[index]?.to ?? first);
    }
    if (first >= end && visit(position)) return true;
    for (const [index, operation] of open.entries()) {
      if (operation.from > first || taken.includes(index)) continue;
      const after = model.step(state, operation);
      if (after !== undefined && model.key(after) !== before)
        stack.push({ low, later, open: added(taken, index), state: after });
    }
    // The last one pushed is tried first: the one that ended first.
    const tried = next.flatMap((index) => {
      const operation = completed[index];
      return operation && operation.from <= first ? [{ index, operation }] : [];
    });
    for (const { index, operation } of tried.sort((a, b) => b.operation.to - a.operation.to)) {
      const after = model.step(state, operation);
      if (after === undefined) continue;
      const ahead = added(later, index);
      let lowest = low;
      while (ahead[0] === lowest) {
        ahead.shift();
        lowest++;
      }
      stack.push({ low: lowest, later: ahead, open: taken, state: after });
    }
  }
  return false;
}

export function isLinearizable<S, I, O>(
  model: Model<S, I, O>,
  operations: readonly Operation<I, O>[],
): boolean {
  return search(model, operations, Number.POSITIVE_INFINITY, () => true);
}

/** The shortest part of a history that is not linearizable. */
export interface Violation<S, I, O> {
  /** The operation whose output no order explains. */
  readonly last: Operation<I, O>;
  /** The states that the object may have had before any operation of `part` ended. */
  readonly states: readonly S[];
  /** Operations in flight from the start of `last` to its end. */
  readonly part: readonly Operation<I, O>[];
  /** Operations that ended before; their order is explained. */
  readonly before: readonly Operation<I, O>[];
}

/** A history as known at a point in time: what had not ended by then has no outcome yet. */
function knownAt<I, O>(operations: readonly Operation<I, O>[], at: number): Operation<I, O>[] {
  return operations
    .filter(({ from }) => from <= at)
    .map((each) => (each.to <= at ? each : { ...each, output: undefined }));
}

export function violationOf<S, I, O>(
  model: Model<S, I, O>,
  operations: readonly Operation<I, O>[],
): Violation<S, I, O> | undefined {
  if (isLinearizable(model, operations)) return undefined;
  const ends = operations
    .filter(({ output }) => output !== undefined)
    .toSorted((a, b) => a.to - b.to);
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isLinearizable(model, knownAt(operations, ends[middle]?.to ?? 0))) low = middle + 1;
    else high = middle;
  }
  const last = ends[low];
  if (!last) throw new Error("a history without completed operations is linearizable");
  const known = knownAt(operations, last.to);
  const states = new Map<string, S>();
  search(model, known, last.from, ({ state }) => {
    states.set(model.key(state), state);
    return false;
  });
  const isBefore = ({ to, output }: Operation<I, O>) => output !== undefined && to < last.from;
  return {
    last,
    states: [...states.values()],
    part: byStart(known.filter((each) => !isBefore(each))),
    before: byStart(known.filter(isBefore)),
  };
}
