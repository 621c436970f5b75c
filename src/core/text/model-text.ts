import { graphemes, INVISIBLE, oneLine, unicodeEscape } from "./escape.ts";

/**
 * Text for a model. Everything that comes from a user, an agent, a file or another program is encoded here, so that it
 * can neither end its delimiter nor pass for a tag or a token of a chat template.
 *
 * The compiler enforces it: tool results, refusals, reminders and prompts have the type `ModelText`, and only this
 * module creates one. `modelText` refuses any part that is neither encoded, a number nor a constant of the source.
 */
export type ModelText = string & { readonly __encoded: true };

/** A constant in the source code has a literal type. External text has the type `string`, which is refused. */
type Constant<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;
type Part<T> = T extends number | ModelText ? T : T extends string ? Constant<T> : never;

export function modelText<const P extends readonly (string | number)[]>(
  constants: TemplateStringsArray,
  ...parts: { [K in keyof P]: Part<P[K]> }
): ModelText {
  const shown = parts.map((part, place) => `${part}${constants[place + 1] ?? ""}`);
  return [constants[0] ?? "", ...shown].join("") as ModelText;
}

export function joinText<const S extends string>(
  parts: readonly ModelText[],
  separator: Constant<S>,
): ModelText {
  return parts.join(separator) as ModelText;
}

export const NO_TEXT: ModelText = modelText``;

// Angle brackets, and characters that readers or tokenizers treat as such.
const ANGLES =
  "<>\uff1c\uff1e\ufe64\ufe65\u226e\u226f\u2039\u203a\u3008\u3009\u2329\u232a\u27e8\u27e9\u276c-\u276f\u1433\u1438\u02c2\u02c3";
const ENTITY = "&(?=#?\\w{1,32};)";
// A square bracket of any width that may start a token of a chat template.
const SQUARE = "[[\\]\\uff3b\\uff3d](?=[\\s/\\uff0f~\\uff5e\\p{L}])";
const IS_SQUARE = /[[\]\uff3b\uff3d]/;
// Tokens of Mistral, BERT and GLM; the last two are from MiniMax.
const SQUARE_TOKEN =
  /^\[\s*\/?\s*(?:INST|SYS|SYSTEM_PROMPT|MODEL_SETTINGS|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|CALL_ID|ARGS|THINK|IMG(?:_BREAK|_END)?|(?:BEGIN_)?AUDIO|PREFIX|MIDDLE|SUFFIX|CLS|SEP|PAD|[gs]?MASK|UNK|[BE]OS|[se]op)\s*\]|^\[e~\[|^\]~!?b[[\]]/;
// Variation selectors, which can encode hidden text.
const SELECTORS = "[\\u{e0100}-\\u{e01ef}]";

const SPECIAL = new RegExp(
  `[${ANGLES}]|${ENTITY}|${SQUARE}|${SELECTORS}|(?![\\t\\n\\r])(?:${INVISIBLE.source})`,
  "giu",
);
/** Text that looks like an escape is escaped itself, so that every escape can be undone. */
const ESCAPE_LIKE = /\\(?=u[\da-f]{4})/gi;

function neutral(text: string): string {
  return withoutSpecial(text.replace(ESCAPE_LIKE, unicodeEscape));
}

function withoutSpecial(text: string): string {
  return text.replace(SPECIAL, (character, at: number) => {
    const isPlain =
      IS_SQUARE.test(character) && !SQUARE_TOKEN.test(text.slice(at, at + 40).normalize("NFKC"));
    return isPlain ? character : unicodeEscape(character);
  });
}

/** The inverse of the escapes of `line` and `neutralData`. */
export function withoutEscapes(text: string): string {
  return text.replace(/\\u([\da-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const ELLIPSIS = "…";
/** Default limit on a quoted text, in characters. */
const MAX_QUOTE = 240;

type Measure = (text: string) => number;
const characters: Measure = ({ length }) => length;

/** The escaped text, or as much of it as fits with an ellipsis, cut between grapheme clusters. */
function fitted(
  text: string,
  max: number,
  encode: (text: string) => string,
  measure: Measure,
): string {
  // Each character takes at least one unit, so nothing after this can fit.
  const start = text.slice(0, max + 1);
  const whole = encode(start);
  if (start.length === text.length && measure(whole) <= max) return whole;
  const ends = [0];
  for (const grapheme of graphemes(text.slice(0, max + 64)))
    ends.push((ends.at(-1) ?? 0) + grapheme.length);
  const cutAt = (end = 0) => `${encode(text.slice(0, end).trimEnd())}${ELLIPSIS}`;
  let least = 0;
  let most = ends.length - 1;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (measure(cutAt(ends[middle])) <= max) least = middle;
    else most = middle - 1;
  }
  return cutAt(ends[least]);
}

/**
 * An external text as a JSON string: quotation marks, backslashes and line ends are escaped, and so are angle brackets,
 * template tokens and invisible characters. `JSON.parse` returns the original, cut to `max` with an ellipsis.
 *
 * @param text any text from a user, an agent or a file
 * @param max limit on the length of the result (default: 240)
 * @param measure measures the length of a text (default: in characters)
 * @returns a JSON string that is safe in a prompt
 */
export function quote(text: string, max = MAX_QUOTE, measure: Measure = characters): ModelText {
  const inside = (part: string) => json(part).slice(1, -1);
  return `"${fitted(text, max, inside, measure)}"` as ModelText;
}

/** An external text on one line without quotation marks, with the same characters escaped as `\uXXXX`. */
export function line(text: string, max = Number.POSITIVE_INFINITY): ModelText {
  return fitted(oneLine(text), max, neutral, characters) as ModelText;
}

/** Limit on tool names in the APIs of models. It keeps every reminder within 200 characters. */
const MAX_TOOL = 64;

/** The name of a tool, in backticks. */
export function code(name: string): ModelText {
  const inside = (part: string) => neutral(part).replaceAll("`", unicodeEscape);
  return `\`${fitted(oneLine(name), MAX_TOOL, inside, characters)}\`` as ModelText;
}

/** JSON with the same meaning in which no string contains a tag or a template token. */
export function json(value: unknown): ModelText {
  return withoutSpecial(JSON.stringify(value)) as ModelText;
}

/** Data for programs that pass it to their model unchanged: every string and key is escaped like `line`, but keeps its line breaks. */
export function neutralData<T>(value: T): T;
export function neutralData(value: unknown): unknown {
  if (typeof value === "string") return neutral(value);
  if (Array.isArray(value)) return value.map((each) => neutralData(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [neutral(key), neutralData(each)]),
  );
}

/** Names with commas between them. */
export function nameList(names: readonly string[]): ModelText {
  return joinText(
    names.map((name) => line(name)),
    ", ",
  );
}
