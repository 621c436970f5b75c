import { parseDuration } from "../core/text/duration.ts";
import { nearest } from "../core/text/nearest.ts";
import type { Setting, SettingType } from "./settings.ts";

/** A value of a configuration file. */
export type ConfigValue = string | number | boolean | readonly string[];

/** The value as its environment variable has it, or why it is invalid: a sentence. */
export type Decoded = { readonly text: string } | { readonly problem: string };

/** Where relative paths begin. */
export interface Place {
  /** The directory of the file. */
  readonly folder: string;
  readonly home: string | undefined;
  join(folder: string, path: string): string;
  isAbsolute(path: string): boolean;
}

const LONGEST = 4_000;
const MOST_WORDS = 100;

/** Decodes the value of a setting. Never throws, whatever the value is. */
export function decodeValue(
  { type }: Pick<Setting, "type">,
  value: unknown,
  place: Place,
): Decoded {
  const wrong = { problem: `Use ${expected(type)}.` };
  switch (type.is) {
    case "boolean":
      return typeof value === "boolean" ? { text: value ? "1" : "" } : wrong;
    case "integer":
      return isWhole(value) && value >= type.least && value <= type.most
        ? { text: String(value) }
        : wrong;
    case "duration":
      return decodeDuration(type, value) ?? wrong;
    case "choice":
      return typeof value === "string" && type.of.includes(value)
        ? { text: value }
        : { problem: `${didYouMean(value, type.of)}Use ${expected(type)}.` };
    case "choices": {
      const words = wordsOf(value);
      const unknown = words?.find((word) => !type.of.includes(word));
      if (!words) return wrong;
      if (unknown === undefined) return { text: words.join(",") };
      return { problem: `${didYouMean(unknown, type.of)}Use ${expected(type)}.` };
    }
    case "texts": {
      const words = wordsOf(value);
      return words ? { text: words.join(",") } : wrong;
    }
    case "path":
      return isText(value) && value !== "" ? { text: absolute(value, place) } : wrong;
    case "text":
      return isText(value) ? { text: value } : wrong;
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

/** Control characters have no place in a setting; NUL would cut a variable. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST && !/[\0-\x1f\x7f]/.test(value);
}

function decodeDuration(
  { off, seconds }: Extract<SettingType, { is: "duration" }>,
  value: unknown,
): Decoded | undefined {
  if (seconds && isWhole(value) && value >= 0) return { text: String(value) };
  if (typeof value !== "string") return undefined;
  if (off && value === "off") return { text: value };
  if (seconds && /^\d{1,9}$/.test(value)) return { text: value };
  return parseDuration(value) === undefined ? undefined : { text: value };
}

function wordsOf(value: unknown): readonly string[] | undefined {
  const words = typeof value === "string" ? value.split(",").map((word) => word.trim()) : value;
  if (!Array.isArray(words) || words.length > MOST_WORDS) return undefined;
  const given = words.filter((word) => word !== "");
  // The environment separates the values with commas.
  return given.every((word): word is string => isText(word) && !word.includes(","))
    ? given
    : undefined;
}

function absolute(path: string, { folder, home, join, isAbsolute }: Place): string {
  if (home !== undefined && /^~[/\\]/.test(path)) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

function didYouMean(value: unknown, known: readonly string[]): string {
  const meant = typeof value === "string" ? nearest(value, known) : undefined;
  return meant === undefined ? "" : `Did you mean "${meant}"? `;
}

/** The expected value, for a message: `one of "on", "off"`. */
export function expected(type: SettingType): string {
  switch (type.is) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number from ${type.least} to ${type.most}`;
    case "duration": {
      const forms = [`a duration such as "90s" or "5m"`];
      if (type.seconds) forms.push("a number of seconds");
      if (type.off) forms.push('"off"');
      return forms.join(", or ");
    }
    case "choice":
      return `one of ${quoted(type.of)}`;
    case "choices":
      return `an array of ${quoted(type.of)}`;
    case "texts":
      return `an array of texts such as ${JSON.stringify(type.example)}`;
    case "path":
      return `a path such as "${type.example}"`;
    case "text":
      return `a text such as "${type.example}"`;
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

/** The value of a file for the words that a user typed. Values of the wrong type are left to `decodeValue`. */
export function typedValue(type: SettingType, words: readonly string[]): ConfigValue {
  const text = words.join(" ");
  switch (type.is) {
    case "boolean":
      return flagOf(text);
    case "integer":
      return numberOf(text);
    case "choices":
    case "texts":
      return words.flatMap((word) => word.split(",")).filter((word) => word !== "");
    case "duration":
      return type.seconds ? numberOf(text) : text;
    default:
      return text;
  }
}

const ON = ["true", "1", "yes", "on"];
const OFF = ["false", "0", "no", "off", ""];

/** The boolean that a text means, or the text. */
export function flagOf(text: string): boolean | string {
  const word = text.toLowerCase();
  if (ON.includes(word)) return true;
  return OFF.includes(word) ? false : text;
}

/** The whole number that a text is, or the text. */
export function numberOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
