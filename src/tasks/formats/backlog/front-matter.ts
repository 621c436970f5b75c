import { commentAfter, parseValue, printScalar, type YamlValue } from "./yaml.ts";

/** One key at the top level, with the lines that hold it. */
interface Entry {
  readonly key: string;
  /** Index of its first line, and of the line after its last one. */
  readonly from: number;
  readonly to: number;
  /** Undefined: YAML that this reader does not support. */
  readonly value: YamlValue | undefined;
}

/** The top of a file between two lines `---`, with the text around it as it is. */
export interface FrontMatter {
  readonly bom: string;
  readonly eol: string;
  /** The lines between the marks, and the end of each: a file may have both kinds. */
  readonly lines: readonly string[];
  readonly ends: readonly string[];
  readonly entries: readonly Entry[];
  /** The mark above, and the mark and everything below. */
  readonly above: string;
  readonly below: string;
  readonly body: string;
}

/** Why a file cannot be read, and the number of the line. */
export interface FileProblem {
  readonly line: number;
  readonly why: string;
}

const KEY = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(?![ \t])(.*)|[ \t]*)$/;

/** Reads front matter without interpreting more than it must. */
export function parseFrontMatter(
  text: string,
):
  | { readonly ok: true; readonly front: FrontMatter }
  | { readonly ok: false; readonly problem: FileProblem } {
  const bom = text.startsWith("\ufeff") ? "\ufeff" : "";
  const begin = /^---[ \t]*(\r?\n)/.exec(text.slice(bom.length));
  const eol = begin?.[1];
  if (!begin || eol === undefined) return failed(1, "has no front matter");
  const start = bom.length + begin[0].length;
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(start));
  if (!end) return failed(1, "has front matter without its end, a line with ---");
  const inside = text.slice(start, start + end.index);
  const lines = inside === "" ? [] : inside.replace(/\r?\n$/, "").split(/\r?\n/);
  const entries: Entry[] = [];
  const seen = new Set<string>();
  for (let place = 0; place < lines.length; ) {
    const line = lines[place] ?? "";
    if (/^\s*(?:#.*)?$/.test(line)) {
      place++;
      continue;
    }
    const found = KEY.exec(line);
    const key = found?.[1];
    if (!found || key === undefined) return failed(place + 2, "has a line that is no `key: value`");
    if (seen.has(key)) return failed(place + 2, `has ${key} twice`);
    seen.add(key);
    let to = place + 1;
    while (to < lines.length && /^(?:[ \t]|- |-$|\s*$)/.test(lines[to] ?? "")) to++;
    while (to > place + 1 && (lines[to - 1] ?? "").trim() === "") to--;
    entries.push({
      key,
      from: place,
      to,
      value: parseValue(found[2] ?? "", lines.slice(place + 1, to)),
    });
    place = to;
  }
  return {
    ok: true,
    front: {
      bom,
      eol,
      lines,
      ends: inside.match(/\r?\n/g) ?? [],
      entries,
      above: text.slice(0, start),
      below: text.slice(start + end.index),
      body: text.slice(start + end.index + end[0].length),
    },
  };
}

function failed(line: number, why: string): { readonly ok: false; readonly problem: FileProblem } {
  return { ok: false, problem: { line, why } };
}

/** Number of the line of a key, for messages. */
export function lineOf({ entries }: FrontMatter, key: string): number {
  const entry = entries.find((each) => each.key === key);
  return entry ? entry.from + 2 : 1;
}

/** New values by key; `undefined` removes a key. */
export type Patch = Readonly<Record<string, YamlValue | undefined>>;

/**
 * The text with these keys changed in place. All other lines stay as they are. New keys follow the key
 * that precedes them in `order`.
 */
export function patchFrontMatter(
  front: FrontMatter,
  patch: Patch,
  order: readonly string[],
): string {
  const { eol } = front;
  const ended = (text: readonly string[], end = eol) => text.map((line) => `${line}${end}`);
  const lines: (readonly string[])[] = front.lines.map((line, index) =>
    ended([line], front.ends[index]),
  );
  const added: [key: string, lines: readonly string[]][] = [];
  for (const [key, value] of Object.entries(patch)) {
    const entry = front.entries.find((each) => each.key === key);
    if (!entry) {
      if (value !== undefined) added.push([key, ended(printEntry(key, value, "block"))]);
      continue;
    }
    for (let place = entry.from; place < entry.to; place++) lines[place] = [];
    const old = front.lines[entry.from] ?? "";
    lines[entry.from] = value === undefined ? [] : ended(replaced(old, entry, value));
  }
  added.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  for (const [key, text] of added) {
    const before = order.slice(0, order.indexOf(key));
    const last = front.entries.filter((each) => before.includes(each.key)).at(-1);
    const place = last ? last.to - 1 : lines.length - 1;
    if (place < 0) lines.push(text);
    else lines[place] = [...(lines[place] ?? []), ...text];
  }
  return `${front.above}${lines.flat().join("")}${front.below}`;
}

function replaced(line: string, { key, from, to }: Entry, value: YamlValue): readonly string[] {
  const rest = KEY.exec(line)?.[2] ?? "";
  if (typeof value !== "string")
    return printEntry(
      key,
      value,
      rest.trim().startsWith("[") && rest.trim() !== "[]" ? "flow" : "block",
    );
  const isOneLine = to === from + 1 && rest !== "";
  if (!isOneLine) return printEntry(key, value, "block");
  return [`${line.slice(0, line.length - rest.length)}${printScalar(value)}${commentAfter(rest)}`];
}

/** The lines of one key. */
export function printEntry(
  key: string,
  value: YamlValue,
  style: "block" | "flow",
): readonly string[] {
  if (typeof value === "string") return [`${key}: ${printScalar(value)}`];
  if (value.length === 0) return [`${key}: []`];
  if (style === "flow") return [`${key}: [${value.map(printScalar).join(", ")}]`];
  return [`${key}:`, ...value.map((each) => `  - ${printScalar(each)}`)];
}
