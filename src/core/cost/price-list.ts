import type { Price, PriceTable } from "./price.ts";

/**
 * Public list prices in US dollars per million tokens, for prompts of usual length: several vendors charge more per token
 * for prompts over 100,000 to 272,000 tokens, which totals do not show. A model whose price could not be verified is
 * missing here; users add it with WAYMARK_PRICES.
 */
interface PriceList {
  readonly source: string;
  /** The last day on which the source was seen to list these prices. */
  readonly date: string;
  /** Input, output, cache read, cache write, cache write for an hour; several rows if the price changed. */
  readonly models: Readonly<Record<string, Rates | readonly Dated[]>>;
}

type Rates = readonly [
  input: number,
  output: number,
  cacheRead?: number,
  cacheWrite?: number,
  cacheWriteHour?: number,
];
interface Dated {
  readonly rates: Rates;
  /** The first day on which the rates no longer apply. */
  readonly until?: string;
}

const OPUS: Rates = [5, 25, 0.5, 6.25, 10];
const SONNET: Rates = [3, 15, 0.3, 3.75, 6];

const PRICE_LISTS: readonly PriceList[] = [
  {
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    date: "2026-10-16",
    models: {
      "claude-fable-5-1": [10, 50, 0.25, 12.5, 20],
      "claude-mythos-5-1": [10, 50, 0.25, 12.5, 20],
      "claude-fable-5": [10, 50, 1, 12.5, 20],
      "claude-mythos-5": [10, 50, 1, 12.5, 20],
      "claude-opus-5-5": [4, 20, 0.2, 5, 8],
      "claude-opus-5": OPUS,
      "claude-opus-4-8": OPUS,
      "claude-opus-4-7": OPUS,
      "claude-opus-4-6": OPUS,
      "claude-opus-4-5": OPUS,
      "claude-opus-4-1": [15, 75, 1.5, 18.75, 30],
      "claude-opus-4": [15, 75, 1.5, 18.75, 30],
      "claude-sonnet-5-5": [
        { rates: [2, 10, 0.2, 2.5, 4], until: "2026-10-07" },
        { rates: [2, 10, 0.1, 2.5, 4] },
      ],
      "claude-sonnet-5": [2, 10, 0.2, 2.5, 4],
      "claude-sonnet-4-6": SONNET,
      "claude-sonnet-4-5": SONNET,
      "claude-sonnet-4": SONNET,
      "claude-3-7-sonnet": SONNET,
      // Prompts up to 100,000 tokens.
      "claude-haiku-5-5": [0.1, 0.5, 0.01, 0.125, 0.2],
      "claude-haiku-4-5": [1, 5, 0.1, 1.25, 2],
      "claude-3-5-haiku": [0.8, 4, 0.08, 1, 1.6],
    },
  },
  {
    // Prompts up to 272,000 tokens from gpt-5.4 on.
    source: "https://developers.openai.com/api/docs/pricing",
    date: "2026-10-16",
    models: {
      "gpt-6.1-sol": [2, 10, 0.1, 2.5],
      "gpt-6-sol": [2, 10, 0.2, 2.5],
      "gpt-6-luna": [0.1, 0.5, 0.01, 0.125],
      "gpt-6-astra": [10, 50, 1],
      "gpt-5.6-terra": [{ rates: [2.5, 15, 0.25], until: "2026-07-30" }, { rates: [2, 12, 0.2] }],
      "gpt-5.6-luna": [{ rates: [1, 6, 0.1], until: "2026-07-30" }, { rates: [0.2, 1.2, 0.02] }],
    },
  },
  {
    source: "https://developers.openai.com/api/docs/pricing",
    date: "2026-05-13",
    models: {
      "gpt-5.5": [5, 30, 0.5],
      "gpt-5.5-pro": [30, 180],
      "gpt-5.4": [2.5, 15, 0.25],
      "gpt-5.4-mini": [0.75, 4.5, 0.075],
      "gpt-5.4-nano": [0.2, 1.25, 0.02],
      "gpt-5.4-pro": [30, 180],
      "gpt-5.3-codex": [1.75, 14, 0.175],
      "gpt-5.2": [1.75, 14, 0.175],
      "gpt-5.2-pro": [21, 168],
      "gpt-5.1": [1.25, 10, 0.125],
      "gpt-5.1-codex": [1.25, 10, 0.125],
      "gpt-5.1-codex-mini": [0.25, 2, 0.025],
      "gpt-5": [1.25, 10, 0.125],
      "gpt-5-codex": [1.25, 10, 0.125],
      "gpt-5-mini": [0.25, 2, 0.025],
      "gpt-5-nano": [0.05, 0.4, 0.005],
      "gpt-5-pro": [15, 120],
      "gpt-4.1": [2, 8, 0.5],
      "gpt-4.1-mini": [0.4, 1.6, 0.1],
      "gpt-4.1-nano": [0.1, 0.4, 0.025],
      "gpt-4o": [2.5, 10, 1.25],
      "gpt-4o-mini": [0.15, 0.6, 0.075],
      "o4-mini": [1.1, 4.4, 0.275],
      "codex-mini-latest": [1.5, 6, 0.375],
    },
  },
  {
    // Prompts up to 200,000 tokens for the Pro models.
    source: "https://ai.google.dev/gemini-api/docs/pricing",
    date: "2026-10-07",
    models: {
      "gemini-3.8-flash": [
        { rates: [0.75, 3.75, 0.075], until: "2027-01-01" },
        { rates: [1.5, 7.5] },
      ],
      "gemini-3.6-flash": [1.5, 7.5, 0.15],
      "gemini-3.5-flash": [1.5, 9, 0.15],
      "gemini-3.5-flash-lite": [0.3, 2.5, 0.03],
      "gemini-3.1-pro-preview": [2, 12, 0.2],
      "gemini-3.1-pro-preview-customtools": [2, 12, 0.2],
      "gemini-3.1-flash-lite-preview": [0.25, 1.5, 0.025],
      "gemini-3-pro-preview": [2, 12],
      "gemini-3-flash-preview": [0.5, 3],
      "gemini-2.5-pro": [1.25, 10, 0.125],
      "gemini-2.5-flash": [0.3, 2.5, 0.03],
      "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
    },
  },
  {
    source: "https://platform.kimi.ai/docs/pricing/chat",
    date: "2026-07-18",
    models: {
      "kimi-k3": [3, 15, 0.3],
      "kimi-k2.7-code": [0.95, 4, 0.19],
      "kimi-k2.6": [0.95, 4, 0.16],
      "kimi-k2-thinking": [0.6, 2.5, 0.15],
      "kimi-k2-thinking-turbo": [1.15, 8, 0.15],
      "kimi-k2-turbo-preview": [1.15, 8, 0.15],
      "kimi-k2-0905-preview": [0.6, 2.5, 0.15],
    },
  },
  {
    // Prompts up to 256,000 tokens. Other models of the vendor are priced in steps from 32,000 tokens on.
    source: "https://www.alibabacloud.com/help/en/model-studio/models",
    date: "2026-05-08",
    models: { "qwen3.6-plus": [0.5, 3] },
  },
];

/** The day of the newest price list. */
export const PRICES_DATE = PRICE_LISTS.map(({ date }) => date)
  .toSorted()
  .at(-1);

export interface ListedPrice {
  readonly model: string;
  readonly source: string;
  readonly date: string;
  readonly prices: readonly Price[];
}

/** Every listed price with its source. */
export function listedPrices(): readonly ListedPrice[] {
  return PRICE_LISTS.flatMap(({ source, date, models }) =>
    Object.entries(models).map(([model, rows]) => ({
      model,
      source,
      date,
      prices: isRates(rows)
        ? [priceOf(rows)]
        : rows.map(({ rates, until }) => ({
            ...priceOf(rates),
            ...(until !== undefined && { until }),
          })),
    })),
  );
}

/** The price list of this version. */
export function listedPriceTable(): PriceTable {
  return new Map(listedPrices().map(({ model, prices }) => [model, prices]));
}

function isRates(rows: Rates | readonly Dated[]): rows is Rates {
  return typeof rows[0] === "number";
}

function priceOf([input, output, cacheRead, cacheWrite, cacheWriteHour]: Rates): Price {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWriteHour !== undefined && { cacheWriteHour }),
  };
}
