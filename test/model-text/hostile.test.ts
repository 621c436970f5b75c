import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { describe, expect, test } from "vitest";
import { oneLine } from "../../src/core/text/escape.ts";
import { modelText, quote, withoutEscapes } from "../../src/core/text/model-text.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { readJson } from "../../src/tools/input.ts";
import { TASK_TOOLS } from "../../src/tools/tasks/index.ts";
import { sized } from "../full.ts";
import { BUILDERS, type Builder, type Put, WITHOUT_EXTERNAL_TEXT } from "./builders.ts";
import { formsOf, hostileStrings, TOKENS } from "./hostile-strings.ts";

/** A description of this text is handed out in pieces: it is longer as JSON than the limit of an answer. */
const LONG = "\\".repeat(4_000);
/** The texts, each with the function that puts it into every field. */
const TEXTS = [...hostileStrings(sized(250, 5_000)), LONG].map((text) => ({
  text,
  put: () => text,
}));
const PATIENCE = sized(60_000, 600_000);

/** Placeholders for external text in the expected text. */
const MARKER = /Xq\d+q/;
const markers = new Map<string, string>();
function markerOf(field: string): string {
  const known = markers.get(field) ?? `Xq${markers.size}q`;
  markers.set(field, known);
  return known;
}

type Form = "quoted" | "code" | "line";
type Piece = { readonly own: string } | { readonly form: Form; readonly template: string };

/** Splits a text with markers into what Waymark itself says and the places of external text. */
function piecesOf(plain: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const own = (end: number) => {
    const last = pieces.at(-1);
    const text = plain.slice(from, end);
    if (last && "own" in last) pieces[pieces.length - 1] = { own: last.own + text };
    else pieces.push({ own: text });
  };
  for (const found of plain.matchAll(/"(?:[^"\\]|\\.)*"|`[^`]*`|Xq\d+q/g)) {
    const [text] = found;
    own(found.index);
    from = found.index + text.length;
    if (!MARKER.test(text)) pieces.push({ own: text });
    else if (text.startsWith('"'))
      pieces.push({ form: "quoted", template: JSON.parse(text) as string });
    else if (text.startsWith("`")) pieces.push({ form: "code", template: text.slice(1, -1) });
    else pieces.push({ form: "line", template: text });
  }
  own(plain.length);
  return pieces;
}

const ENDS: Readonly<Record<Form, RegExp>> = {
  quoted: /"(?:[^"\\]|\\.)*"/y,
  code: /`[^`\n]*`/y,
  // Neither a line break nor an angle bracket can be in one.
  line: /(?:(?! <)[^\n<])*/y,
};

/** A token, a tag, a look-alike, or a character that does something instead of being read. */
const ACTING =
  /[<>‹›〈〉\u2329\u232a⟨⟩≮≯]|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|gMASK)\]|\]~b\]|\[e~\[|&(?:lt|gt|amp|#\d+);|[\p{Cc}\p{Cs}]|[\u200b\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e01ef}]/u;

function read(form: Form, text: string, isData: boolean): string {
  if (form === "quoted") {
    const value = JSON.parse(text) as string;
    return isData ? withoutEscapes(value) : value;
  }
  return withoutEscapes(form === "code" ? text.slice(1, -1) : text);
}

function isOriginal(value: string, original: string, mayGoOn: boolean): boolean {
  if (value === original || oneLine(value) === oneLine(original)) return true;
  if (mayGoOn && original.startsWith(value)) return true;
  const kept = value.slice(0, -1);
  return value.endsWith("…") && [original, oneLine(original)].some((all) => all.startsWith(kept));
}

/** A description that is too long is handed out in pieces. */
const GOES_ON = /\n… Read on with \{"show":"t\d+","from":\d+\}$/m;

/** Parses a text back: every external text is the original, and nothing else has changed. */
function problemOf(
  pieces: readonly Piece[],
  given: string,
  original: (template: string) => string,
  isData: boolean,
): string | undefined {
  const text = given.replace(GOES_ON, "");
  let at = 0;
  for (const piece of pieces) {
    if ("own" in piece) {
      if (!text.startsWith(piece.own, at))
        return `${JSON.stringify(piece.own.slice(0, 80))} is not at ${JSON.stringify(text.slice(at, at + 80))}`;
      at += piece.own.length;
      continue;
    }
    const end = ENDS[piece.form];
    end.lastIndex = at;
    const [slot] = end.exec(text) ?? [];
    if (slot === undefined)
      return `no ${piece.form} text at ${JSON.stringify(text.slice(at, at + 80))}`;
    if (ACTING.test(slot.normalize("NFKC"))) return `a token is in ${JSON.stringify(slot)}`;
    const value = read(piece.form, slot, isData);
    const wanted = original(piece.template);
    if (!isOriginal(value, wanted, text !== given))
      return `${JSON.stringify(value.slice(0, 200))} is not ${JSON.stringify(wanted.slice(0, 200))}`;
    at += slot.length;
  }
  return at === text.length ? undefined : `more text: ${JSON.stringify(text.slice(at))}`;
}

async function check(
  { name, build, isData = false }: Builder,
  texts: readonly { text: string; put: Put }[],
) {
  const pieces = piecesOf(await build(markerOf));
  for (const { text: hostile, put } of texts) {
    const original = (template: string) => template.replaceAll(/Xq\d+q/g, () => hostile);
    const text = await build(put);
    const problem = problemOf(pieces, text, original, isData);
    if (problem !== undefined)
      throw new Error(`${name}, ${JSON.stringify(hostile.slice(0, 200))}: ${problem}`);
  }
}

describe("external text in everything that a model reads", { timeout: PATIENCE }, () => {
  test.each(BUILDERS)(
    "$name can be parsed back, and the rest is unchanged",
    { tags: ["quote-injection"] },
    async (builder) => {
      await check(builder, TEXTS);
    },
  );

  test("no tool result contains a token of a chat template", {
    tags: ["template-token"],
  }, async () => {
    const texts = TOKENS.flatMap(formsOf).map((text) => ({ text, put: () => text }));
    const results = BUILDERS.filter(({ name }) => /^(?:result|MCP data) of/.test(name));
    expect(results.length).toBeGreaterThan(TOOLS.length + TASK_TOOLS.length);
    for (const builder of results) await check(builder, texts);
  });

  test("an error of the JSON parser stays quoted", { tags: ["quote-injection"] }, () => {
    for (const { text } of TEXTS) {
      const read = readJson(`{"todos": ${text}`);
      if (read.ok) continue;
      const message = read.rejected[0]?.message ?? "";
      expect(message).toMatch(
        /^The input is not valid JSON: "(?:[^"\\]|\\.)*"\. Send one JSON object\.$/,
      );
      expect(message.normalize("NFKC")).not.toMatch(ACTING);
    }
  });

  test("the builders use all three forms of external text", async () => {
    const found = new Set<string>();
    let without = 0;
    for (const { build } of BUILDERS) {
      const slots = piecesOf(await build(markerOf)).flatMap((piece) =>
        "form" in piece ? piece.form : [],
      );
      for (const form of slots) found.add(form);
      if (slots.length === 0) without++;
    }
    expect([...found].sort()).toEqual(["code", "line", "quoted"]);
    // Two reminders state numbers only.
    expect(without).toBeLessThanOrEqual(2);
  });

  test("the parser notices a quotation mark, a token, a lost text and a changed sentence", () => {
    const pieces = piecesOf('The user completed "Xq0q".');
    const with_ = (text: string) => problemOf(pieces, text, () => 'a"b', false);
    expect(with_(`The user completed ${quote('a"b')}.`)).toBeUndefined();
    expect(with_('The user completed "a"b".')).toMatch(/is not/);
    expect(with_('The user completed "a".')).toMatch(/is not/);
    expect(with_('The user dropped "a\\"b".')).toMatch(/is not at/);
    expect(problemOf(pieces, 'The user completed "<s>".', () => "<s>", false)).toMatch(/a token/);
  });
});

describe("the encoder", () => {
  test("refuses external text at compile time", () => {
    const external: string = "text of others";
    const status: "open" | "done" = "open";
    expect(modelText`${quote(external)} is ${status} after ${3} turns`).toBe(
      '"text of others" is open after 3 turns',
    );
    // @ts-expect-error it is neither encoded nor a constant
    modelText`${external}`;
    // @ts-expect-error a template is a text like any other
    modelText`${`a ${external}`}`;
    // @ts-expect-error not even in quotation marks
    modelText`"${external.slice(0, 60)}"`;
    // @ts-expect-error undefined is not a text
    modelText`${undefined}`;
  });

  test("is only used by files that the builders cover", () => {
    const known = new Set([...BUILDERS.flatMap(({ covers }) => covers), ...WITHOUT_EXTERNAL_TEXT]);
    const using = readdirSync("src", { recursive: true, encoding: "utf8" })
      .map((file) => file.split(sep).join("/"))
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) => readFileSync(`src/${file}`, "utf8").includes("/model-text.ts"));
    expect(using.filter((file) => !known.has(file))).toEqual([]);
    const gone = [...known].filter((file) => !using.includes(file));
    expect(gone).toEqual(["core/text/model-text.ts"]);
  });
});
