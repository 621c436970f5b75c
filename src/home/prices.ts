import { readFileSync } from "node:fs";
import { type Prices, type PriceTable, pricesFrom } from "../core/cost/price.ts";
import { parsePrices } from "../core/cost/price-file.ts";
import { listedPriceTable } from "../core/cost/price-list.ts";
import { errorMessage, UsageError, WaymarkError } from "../core/error.ts";

/** The prices of models: those of the file in `WAYMARK_PRICES`, then the list of this version. */
export function readPrices(env: NodeJS.ProcessEnv): Prices {
  const own = ownPrices(env);
  return own ? pricesFrom(own, listedPriceTable()) : pricesFrom(listedPriceTable());
}

/** The prices of the file in `WAYMARK_PRICES`. */
export function ownPrices(env: NodeJS.ProcessEnv): PriceTable | undefined {
  const path = pricesFile(env);
  if (path === undefined) return undefined;
  const parsed = parsePrices(textOf(path));
  if ("problem" in parsed)
    throw new UsageError(
      `Invalid prices in ${path}, line ${parsed.line} (WAYMARK_PRICES): ${parsed.problem}`,
    );
  return parsed.table;
}

/** The file with the user's own prices. */
export function pricesFile(env: NodeJS.ProcessEnv): string | undefined {
  return env.WAYMARK_PRICES?.trim() || undefined;
}

const MAX_BYTES = 1024 * 1024;

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new WaymarkError(
      "prices_unreadable",
      `The prices in ${path} (WAYMARK_PRICES) could not be read: ${errorMessage(error)}. Fix the path, or unset WAYMARK_PRICES to use the built-in prices.`,
      { cause: error },
    );
  }
  if (bytes.length > MAX_BYTES)
    throw new UsageError(`The prices in ${path} (WAYMARK_PRICES) are larger than 1 MB.`);
  return bytes.toString("utf8");
}
