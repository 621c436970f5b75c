import { baseName } from "../languages.ts";
import type { Source } from "../source.ts";
import type { Found, Marker } from "./found.ts";
import { rowsIn } from "./rows.ts";

const GO_TEST =
  /^func +((?:Test|Fuzz|Benchmark|Example)(?:[A-Z0-9_]\w*)?) *\([^)\n]{0,200}\) *\{/gm;

export function findGo(source: Source): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(GO_TEST)) {
    const open = match.index + match[0].length - 1;
    const to = closing[open] || code.length;
    const table = /\[\]struct ?\{/.exec(code.slice(open, to));
    const types = table ? (closing[open + table.index + table[0].length - 1] ?? 0) : 0;
    const rows = types > 0 && code[types + 1] === "{" ? rowsIn(source, types + 1, to) : 0;
    found.push({ name: match[1] ?? "", offset: match.index, from: open + 1, to, rows });
  }
  for (const match of code.matchAll(/(?<!\w)t\.Run\s*\(\s*"(_{1,200})"\s*,/g)) {
    const open = code.indexOf("(", match.index);
    const to = closing[open] ?? 0;
    if (to === 0) continue;
    const quote = code.indexOf('"', open) + 1;
    const name = plain.slice(quote, code.indexOf('"', quote));
    found.push({ name: `t.Run ${name}`, offset: match.index, from: open + match[0].length, to });
  }
  return found;
}

const RUST_TEST =
  /#\[(?:\w+::){0,3}(?:test|rstest|test_case|wasm_bindgen_test|quickcheck|proptest)\b/g;

export function findRust(source: Source): readonly Found[] {
  const { code, closing } = source;
  const found: Found[] = [];
  const next = /(?<!\w)fn +(\w+)/g;
  for (const attribute of code.matchAll(RUST_TEST)) {
    // Several attributes may belong to one function.
    if (attribute.index < next.lastIndex) continue;
    next.lastIndex = attribute.index;
    const match = next.exec(code);
    if (!match) break;
    const { text, start } = rustAttributes(source, match.index);
    const open = code.indexOf("{", match.index);
    const to = open === -1 ? 0 : (closing[open] ?? 0);
    if (to === 0 || start > attribute.index) continue;
    const markers: Marker[] = [];
    for (const skip of text.matchAll(/#\[(ignore|should_panic|cfg|cfg_attr)\b/g)) {
      if (skip[1] === "cfg" && /^#\[cfg\(test\)\]/.test(text.slice(skip.index))) continue;
      const constant =
        skip[1] === "ignore" ||
        /^#\[cfg\((?:any\(\)|never|not\(test\))/.test(text.slice(skip.index));
      markers.push({ type: "skip", offset: start + skip.index, conditional: !constant });
    }
    const rows = (text.match(/#\[(?:case|test_case)\b/g) ?? []).length;
    found.push({ name: match[1] ?? "", offset: match.index, from: open + 1, to, markers, rows });
  }
  return found;
}

const MAX_ATTRIBUTES = 4_000;

/** The attributes before a function: back to the end of the item before it. */
function rustAttributes({ code }: Source, at: number): { text: string; start: number } {
  const window = code.slice(Math.max(0, at - MAX_ATTRIBUTES), at);
  const end = Math.max(window.lastIndexOf("}"), window.lastIndexOf(";"), window.lastIndexOf("{"));
  return { text: window.slice(end + 1), start: at - window.length + end + 1 };
}

const ANNOTATION =
  /(?:@(?:org\.junit\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)|(?<!\w)func +(?=test\w*\s*\()/g;

export function findAnnotated(source: Source): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  let after = 0;
  for (const match of code.matchAll(ANNOTATION)) {
    if (match.index < after) continue;
    const open = code.indexOf("{", skipAnnotations(source, match.index));
    if (open === -1) break;
    const to = closing[open] ?? 0;
    if (to === 0 || open - match.index > MAX_ATTRIBUTES) continue;
    const { text, start } = rustAttributes(source, match.index);
    const header = `${text}${plain.slice(match.index, open)}`;
    const name = /(`[^`\n]{1,200}`|\w+)\s*\([^()]{0,400}\)[^(){}]{0,200}$/.exec(
      plain.slice(match.index, open),
    )?.[1];
    if (name === undefined) continue;
    const markers: Marker[] = [];
    const skip =
      /@(?:Disabled|Ignore|Ignored)\b(?!If|On|For)|(?:\[|,\s*)(?:Ignore|Explicit)\b|\bSkip\s*=|@(?:Disabled|Enabled)(?:If|On|For)\w*/.exec(
        header,
      );
    if (skip)
      markers.push({
        type: "skip",
        offset: start + skip.index,
        conditional: /(?:If|On|For)/.test(skip[0]),
      });
    found.push({ name, offset: match.index, from: open + 1, to, markers });
    after = open;
  }
  for (const match of code.matchAll(/@(?:Disabled|Ignore)\b[^{};]{0,400}?\bclass +(\w+)/g))
    found.push({
      name: match[1] ?? "",
      group: true,
      offset: match.index,
      from: match.index,
      to: match.index,
      markers: [{ type: "skip", offset: match.index, conditional: false }],
    });
  return found;
}

/** After the annotations that start at an offset, with their arguments. */
function skipAnnotations({ code, closing }: Source, from: number): number {
  let at = from;
  for (let turn = 0; turn < 20; turn++) {
    const next = /^\s*(?:@[\w.]{1,80}|(?=\[))/.exec(code.slice(at, at + 300));
    if (!next) return at;
    at += next[0].length;
    if (code[at] === "(" || code[at] === "[") at = (closing[at] || at) + 1;
  }
  return at;
}

export function findPhp(source: Source): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(
    /(?<!\w)function +(test\w*) *\(|(?<![\w>$:])(it|test) *\( *(["'])/g,
  )) {
    const open =
      match[1] === undefined ? code.indexOf("(", match.index) : code.indexOf("{", match.index);
    const to = open === -1 ? 0 : (closing[open] ?? 0);
    if (to === 0) continue;
    const quote = open + 1 + code.slice(open + 1, open + 20).search(/["']/);
    const name = match[1] ?? plain.slice(quote + 1, code.indexOf(match[3] ?? "'", quote + 1));
    const chain = /^\)\s*->(skip|todo|only)\s*\(/.exec(code.slice(to, to + 100))?.[1];
    const markers: Marker[] = chain
      ? [{ type: chain === "only" ? "only" : "skip", offset: to, conditional: false }]
      : [];
    found.push({ name, offset: match.index, from: open + 1, to, markers });
  }
  return found;
}

export function findShell(source: Source, path: string): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(/^@test +(["'])_{1,200}\1 *\{|^((?:test_)\w+) *\(\) *\{/gm)) {
    const open = match.index + match[0].length - 1;
    const to = closing[open] || code.length;
    const name = match[2] ?? plain.slice(match.index + 7, open - 2);
    found.push({ name, offset: match.index, from: open + 1, to });
  }
  // A script without test functions is one test.
  if (found.length === 0) found.push({ name: baseName(path), offset: 0, from: 0, to: code.length });
  return found;
}
