import { modelSpellings } from "./model-names.ts";

/** Prices of a model in US dollars per million tokens. An absent price is not known. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** Writes to a cache, kept for some minutes. */
  readonly cacheWrite?: number;
  /** Writes to a cache that are kept for an hour (default: `cacheWrite`). */
  readonly cacheWriteHour?: number;
  /** The first day on which the price no longer applies, as `2026-10-07`. */
  readonly until?: string;
}

/** The names of the prices that `Price` may have, `until` aside. */
export const PRICE_FIELDS = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "cacheWriteHour",
] as const satisfies readonly (keyof Price)[];

/** Prices by model, oldest first. */
export type PriceTable = ReadonlyMap<string, readonly Price[]>;

/** Finds the price of a model at a time. */
export interface Prices {
  /** Undefined if the price is not known. `model` is spelled as its agent spells it. */
  find(model: string | undefined, at: number): Price | undefined;
}

/** Looks models up in several tables; the first that knows the model decides. */
export function pricesFrom(...tables: readonly PriceTable[]): Prices {
  const known = new Map<string, readonly Price[]>();
  const rowsOf = (model: string): readonly Price[] => {
    const spellings = modelSpellings(model);
    for (const table of tables)
      for (const spelling of spellings) {
        const rows = table.get(spelling);
        if (rows) return rows;
      }
    return [];
  };
  return {
    find(model, at) {
      if (model === undefined) return undefined;
      let rows = known.get(model);
      if (!rows) {
        rows = rowsOf(model);
        known.set(model, rows);
      }
      return rows.find(({ until }) => until === undefined || at < Date.parse(until));
    },
  };
}
