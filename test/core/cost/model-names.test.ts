import { expect, test } from "vitest";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import { listedPrices, listedPriceTable } from "../../../src/core/cost/price-list.ts";

const NOW = Date.parse("2026-11-18");
const prices = pricesFrom(listedPriceTable());
const inputOf = (model: string, at = NOW) => prices.find(model, at)?.input;

test.each([
  ["claude-sonnet-4-5", 3],
  ["claude-sonnet-4-5-20250929", 3],
  ["claude-sonnet-4-5-20250929[1m]", 3],
  ["anthropic/claude-sonnet-4.5", 3],
  ["openrouter/anthropic/claude-opus-4.5", 5],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
  ["anthropic.claude-haiku-4-5-20251001-v1:0", 1],
  ["bedrock/eu.anthropic.claude-opus-4-1-20250805-v1:0", 15],
  ["claude-opus-4@20250514", 15],
  ["claude-opus-4-20250514", 15],
  ["claude-opus-4-0", 15],
  ["claude-3-7-sonnet-latest", 3],
  ["anthropic/claude-3.5-haiku", 0.8],
  ["Claude-Opus-5-5", 4],
  ["openai/gpt-5.5", 5],
  ["gpt-6.1-sol-2026-09-29", 2],
  ["gpt-5.1-codex", 1.25],
  ["models/gemini-2.5-pro", 1.25],
  ["google/gemini-3.1-pro-preview", 2],
  ["moonshotai/kimi-k2.6", 0.95],
  ["gemini/gemini-2.5-flash", 0.3],
  ["vertex_ai/claude-sonnet-4-5@default", 3],
  ["qwen/qwen3.6-plus", 0.5],
  [" gpt-5 ", 1.25],
])("%s costs $%d per million input tokens", (model, dollars) => {
  expect(inputOf(model)).toBe(dollars);
});

test.each([
  "mock",
  "mini-1",
  "<synthetic>",
  "claude",
  "claude-sonnet-4-5-preview",
  "claude-sonnet-4-5-thinking",
  "my-claude-sonnet-4-5",
  "gpt-5.5-mini",
  "gpt-55",
  "deepseek/claude-sonnet-4-5",
  "openai/gpt-5.5:free",
  "gemini-2.5-pro-exp",
  "",
])("%j has no price", (model) => {
  expect(inputOf(model)).toBeUndefined();
});

test("uses the price of the day", () => {
  const cacheRead = (day: string) => prices.find("claude-sonnet-5-5", Date.parse(day))?.cacheRead;
  expect(cacheRead("2026-10-06T23:59:00Z")).toBe(0.2);
  expect(cacheRead("2026-10-07T00:00:00Z")).toBe(0.1);
});

test("every listed price has a source, a date and plausible amounts", () => {
  const all = listedPrices();
  expect(new Set(all.map(({ model }) => model)).size).toBe(all.length);
  for (const { model, source, date, prices: rows } of all) {
    expect(source, model).toMatch(/^https:\/\//);
    expect(date, model).toMatch(/^2026-\d{2}-\d{2}$/);
    expect(rows.length, model).toBeGreaterThan(0);
    expect(
      rows.slice(0, -1).every(({ until }) => until !== undefined),
      model,
    ).toBe(true);
    for (const { input, output, cacheRead = 0, cacheWrite = input, cacheWriteHour } of rows) {
      expect(input, model).toBeGreaterThan(0);
      expect(output, model).toBeGreaterThanOrEqual(input);
      expect(cacheRead, model).toBeLessThan(input);
      expect(cacheWrite, model).toBeGreaterThanOrEqual(input);
      expect(cacheWriteHour ?? cacheWrite, model).toBeGreaterThanOrEqual(cacheWrite);
    }
    // A listed name is found as it is: no step of the spelling changes it into another model.
    expect(prices.find(model, Number.MAX_SAFE_INTEGER), model).toEqual(rows.at(-1));
  }
});

test("has every kind of price that the vendor lists, and no other", () => {
  expect(prices.find("claude-opus-5-5", NOW)).toEqual({
    input: 4,
    output: 20,
    cacheRead: 0.2,
    cacheWrite: 5,
    cacheWriteHour: 8,
  });
  expect(prices.find("gpt-6.1-sol", NOW)).toEqual({
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
  });
  expect(prices.find("gpt-5.5-pro", NOW)).toEqual({ input: 30, output: 180 });
});

test("prices of the user come first", () => {
  const own = new Map([["claude-opus-5", [{ input: 1, output: 2 }]]]);
  const both = pricesFrom(own, listedPriceTable());
  expect(both.find("anthropic/claude-opus-5", NOW)).toEqual({ input: 1, output: 2 });
  expect(both.find("claude-opus-4-8", NOW)?.input).toBe(5);
  const local = pricesFrom(new Map([["local/mini-1", [{ input: 1, output: 2 }]]]));
  expect(local.find("openrouter/local/mini-1", NOW)?.input).toBe(1);
  expect(local.find("mini-1", NOW)).toBeUndefined();
});
