import { nearest } from "../text/nearest.ts";
import { PRICE_FIELDS, type Price, type PriceTable } from "./price.ts";

/** Prices that a user wrote: a JSON object of models, each with its prices in US dollars per million tokens. */
export type ParsedPrices =
  | { readonly table: PriceTable }
  /** The first problem, and its line, counted from 1. */
  | { readonly line: number; readonly problem: string };

/** Parses a file of prices. A parser of its own, because `JSON.parse` does not say in which line a value is. */
export function parsePrices(text: string): ParsedPrices {
  const tokens = tokensOf(text);
  try {
    return { table: new Map(readModels(tokens)) };
  } catch (error) {
    if (error instanceof Fault) return { line: error.line, problem: error.message };
    throw error;
  }
}

class Fault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

interface Token {
  /** As written; empty at the end of the text. */
  readonly text: string;
  readonly line: number;
}

interface Tokens {
  next(): Token;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+|"/g;

function tokensOf(text: string): Tokens {
  // A byte order mark is not part of the text.
  const body = text.replace(/^\uFEFF/, "");
  const found = body.matchAll(TOKEN);
  let line = 1;
  let seen = 0;
  const lineAt = (index: number) => {
    for (; seen < index; seen++) if (body[seen] === "\n") line++;
    return line;
  };
  return {
    next() {
      const token = found.next().value;
      return token
        ? { text: token[0], line: lineAt(token.index) }
        : { text: "", line: lineAt(body.trimEnd().length) };
    },
  };
}

function readModels(tokens: Tokens): [string, readonly Price[]][] {
  const models: [string, readonly Price[]][] = [];
  readObject(tokens, tokens.next(), "an object of models", (model, line) => {
    if (models.some(([known]) => known === model)) throw new Fault(line, `"${model}" is repeated.`);
    models.push([model, [readPrice(tokens, model, line)]]);
  });
  const after = tokens.next();
  if (after.text !== "")
    throw new Fault(after.line, `Unexpected ${shown(after)} after the object.`);
  return models;
}

function readPrice(tokens: Tokens, model: string, modelLine: number): Price {
  const price: Partial<Record<(typeof PRICE_FIELDS)[number], number>> = {};
  readObject(tokens, tokens.next(), `the prices of "${model}"`, (name, line) => {
    const field = PRICE_FIELDS.find((known) => known === name);
    if (!field) {
      const meant = nearest(name, PRICE_FIELDS);
      const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
      throw new Fault(
        line,
        `Unknown key "${name.slice(0, 40)}" of "${model}".${hint} Use ${PRICE_FIELDS.join(", ")}.`,
      );
    }
    if (price[field] !== undefined) throw new Fault(line, `"${field}" of "${model}" is repeated.`);
    const value = tokens.next();
    const amount = NUMBER.test(value.text) ? Number(value.text) : Number.NaN;
    if (!(amount >= 0 && amount <= MOST))
      throw new Fault(
        value.line,
        `"${field}" of "${model}" is ${shown(value)}. Use dollars per million tokens, 0 to ${MOST}.`,
      );
    price[field] = amount;
  });
  const { input, output } = price;
  if (input === undefined || output === undefined)
    throw new Fault(modelLine, `"${model}" needs "input" and "output".`);
  return { ...price, input, output };
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A bound that no price reaches and that keeps sums exact. */
const MOST = 10_000;

/** Calls `readValue` after each key and its colon. */
function readObject(
  tokens: Tokens,
  start: Token,
  what: string,
  readValue: (key: string, line: number) => void,
): void {
  if (start.text !== "{")
    throw new Fault(start.line, `Expected { for ${what}, not ${shown(start)}.`);
  for (let token = tokens.next(); ; token = tokens.next()) {
    // `{}` and a comma before } end the object.
    if (token.text === "}") return;
    const key = stringOf(token);
    if (key === undefined)
      throw new Fault(token.line, `Expected a key in quotes in ${what}, not ${shown(token)}.`);
    const colon = tokens.next();
    if (colon.text !== ":")
      throw new Fault(colon.line, `Expected : after "${key}", not ${shown(colon)}.`);
    readValue(key, token.line);
    const end = tokens.next();
    if (end.text === "}") return;
    if (end.text !== ",")
      throw new Fault(end.line, `Expected , or } in ${what}, not ${shown(end)}.`);
  }
}

function stringOf({ text }: Token): string | undefined {
  if (!text.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    // Not closed, or with an invalid escape sequence.
    return undefined;
  }
}

function shown({ text }: Token): string {
  return text === "" ? "the end of the file" : text.slice(0, 40);
}
