import { type Assertion, assertionsIn } from "./assertions.ts";
import { baseName, isTestPath, type Language, languageOf } from "./languages.ts";
import { lineAt, readSource, type Source, squeezed } from "./source.ts";

/** Something that keeps a test from running or failing, or keeps all others from running. */
export interface Marker {
  readonly type: "skip" | "only" | "todo";
  readonly offset: number;
  /** It depends on a condition, such as the platform. */
  readonly conditional: boolean;
}

/** A test, or a group of tests, of one file. */
export interface TestCase {
  readonly file: string;
  readonly name: string;
  readonly group: boolean;
  readonly offset: number;
  /** Contents on one line, without comments. */
  readonly body: string;
  readonly assertions: readonly Assertion[];
  readonly markers: readonly Marker[];
  /** The first line catches the failure of an assertion and ignores it. */
  readonly swallows: number | undefined;
  /** Number of rows of a table-driven test; 0 for others. */
  readonly rows: number;
}

/** The tests of a file. */
export interface TestFile {
  readonly path: string;
  readonly source: Source;
  readonly cases: readonly TestCase[];
  /** Markers that belong to the whole file. */
  readonly markers: readonly Marker[];
  /** Assertions outside tests, such as those of helpers. */
  readonly loose: readonly Assertion[];
}

/** A test as its language describes it, before its body is read. */
interface Found {
  readonly name: string;
  readonly group?: boolean;
  readonly offset: number;
  /** Start and end of the body. */
  readonly from: number;
  readonly to: number;
  readonly markers?: readonly Marker[];
  readonly rows?: number;
}

/** Larger files are not read: they are data, not tests. */
const MAX_SOURCE = 1_000_000;
const MAX_CASES = 5_000;

/**
 * Reads the tests of a file; undefined if a test runner does not collect it. A fragment of a file may
 * start inside a test: its first lines are a test without a name.
 */
export function readTests(
  path: string,
  text: string | null,
  isFragment = false,
): TestFile | undefined {
  const language = languageOf(path);
  if (text === null || language === undefined || text.length > MAX_SOURCE) return undefined;
  const isHelper = baseName(path) === "conftest.py";
  if (!isTestPath(path) && !isHelper) return undefined;
  const source = readSource(text, language, isFragment);
  const found = FINDERS[language](source, path).slice(0, MAX_CASES);
  const cases = found.map((each) => caseOf(source, language, path, each));
  const first = isFragment ? fragmentStart(source, language, path, found) : undefined;
  if (found.length === 0 && !first && MAY_BE_SOURCE.has(language)) return undefined;
  const all = first ? [first, ...cases] : cases;
  return {
    path,
    source,
    cases: all,
    markers: fileMarkers(source, language, found),
    loose: looseAssertions(source, language, all, found),
  };
}

/** A marker whose test is not part of the fragment. */
const MARKER_LINES =
  /^[ \t]*(?:#\[ignore\b|@(?:pytest\.mark\.|mark\.|unittest\.)?(?:skip(?!if|If|Unless)|xfail|expectedFailure)\b|@(?:Disabled|Ignored?)\b|\[Ignore\b)/gm;

/** The part of a test before the first whole test of a fragment. */
function fragmentStart(
  source: Source,
  language: Language,
  file: string,
  found: readonly Found[],
): TestCase | undefined {
  const to = Math.min(source.code.length, ...found.map(({ offset }) => offset));
  const inTest = !MAY_BE_SOURCE.has(language) || IN_TESTS.test(file);
  const assertions = assertionsIn(source, language, 0, to).filter(
    // Other assertions are part of ordinary code as well.
    ({ text }) => inTest || /^assert_(?:eq|ne)!/.test(text),
  );
  const attributes = [...source.code.slice(0, to).matchAll(MARKER_LINES)].map(
    ({ index }): Marker => ({ type: "skip", offset: index, conditional: false }),
  );
  const markers = [
    ...(found.length === 0 ? attributes : []),
    ...(inTest ? callMarkers(source, language, 0, to) : []),
  ];
  if (assertions.length === 0 && markers.length === 0 && !inTest) return undefined;
  const body = squeezed(source.plain.slice(0, to));
  const swallows = inTest ? swallowedAt(source, 0, to) : undefined;
  return { file, name: "", group: false, offset: 0, body, assertions, markers, swallows, rows: 0 };
}

/** In these languages, tests may be in any file. */
const MAY_BE_SOURCE = new Set<Language>(["rust", "jvm", "csharp", "php"]);
const IN_TESTS = /(?:^|\/)tests?\/|tests?\.\w+$/i;

function caseOf(source: Source, language: Language, file: string, found: Found): TestCase {
  const { name, group = false, offset, from, to, rows = 0, markers = [] } = found;
  return {
    file,
    name,
    group,
    offset,
    body: squeezed(source.plain.slice(from, to)),
    assertions: group ? [] : assertionsIn(source, language, from, to),
    markers: group ? markers : [...markers, ...bodyMarkers(source, language, from, to)],
    swallows: group ? undefined : swallowedAt(source, from, to),
    rows,
  };
}

const CONDITION_BEFORE = /(?:\bif\b[^\n]{0,200}|&&\s*|\?\s*)$/;

/** Calls inside a test that skip it, and a `return` as its first statement. */
const SKIP_CALLS: Readonly<Record<Language, RegExp>> = {
  js: /(?<![\w$.])(?:this|t|ctx|context|test|it)\.(skip|todo|fixme)\s*\(/g,
  python:
    /(?<![\w.])(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|(?:raise\s+)?unittest\.SkipTest|raise\s+SkipTest)\s*\(/g,
  go: /(?<!\w)(?:t|b|tb|f)\.Skip(?:f|Now)?\s*\(/g,
  rust: /(?!)/g,
  jvm: /(?<!\w)(?:assumeTrue\s*\(\s*false|assumeFalse\s*\(\s*true|XCTSkip\w*\s*\(|throw\s+XCTSkip)/g,
  csharp: /(?<!\w)(?:Assert\.(?:Ignore|Inconclusive|Skip)|Skip\.If)\s*\(/g,
  ruby: /^[ \t]*(?:skip|pending)(?=[\s(]|$)/gm,
  php: /->(?:markTestSkipped|markTestIncomplete)\s*\(/g,
  sh: /^[ \t]*(?:skip(?= |$)|exit 0\b(?=[^\n]*\n[\s\S]))/gm,
};

function callMarkers(source: Source, language: Language, from: number, to: number): Marker[] {
  const { code } = source;
  const markers: Marker[] = [];
  const pattern = new RegExp(SKIP_CALLS[language].source, SKIP_CALLS[language].flags);
  pattern.lastIndex = from;
  for (let call = pattern.exec(code); call && call.index < to; call = pattern.exec(code)) {
    const offset = call.index + (/^\s*/.exec(call[0])?.[0].length ?? 0);
    markers.push({ type: "skip", offset, conditional: isConditional(source, offset, from) });
  }
  return markers;
}

function bodyMarkers(source: Source, language: Language, from: number, to: number): Marker[] {
  const { code } = source;
  const markers = callMarkers(source, language, from, to);
  const first = /^[\s{]*(?:(?:#|\/\/)[^\n]*\n\s*)*(return\b;?|if \(?true\)?:? *\{? *return\b)/.exec(
    code.slice(from, Math.min(to, from + 2_000)),
  );
  if (first && language !== "sh") {
    const offset = from + first[0].length - (first[1]?.length ?? 0);
    const rest = code.slice(from + first[0].length, to);
    const statement = /^[^\n;}]*/.exec(rest)?.[0] ?? "";
    // `return value` of a test is how promises are awaited.
    if (/^[\s;]*$/.test(statement) && /\w/.test(rest.slice(statement.length)))
      markers.push({ type: "skip", offset, conditional: false });
  }
  return markers;
}

/** Whether the statement, or the block that it is in, follows a condition that is not a constant. */
function isConditional({ code }: Source, offset: number, from: number): boolean {
  const lineStart = code.lastIndexOf("\n", offset - 1) + 1;
  const line = code.slice(Math.max(lineStart, from), offset);
  const before = code.slice(Math.max(from, lineStart - 300), lineStart).trimEnd();
  const above = before.slice(before.lastIndexOf("\n") + 1);
  const isOpen =
    /[{:]$|\bthen$|\bdo$/.test(above) && /\b(?:if|unless|else|except|rescue)\b/.test(above);
  const condition = CONDITION_BEFORE.test(line) ? line : isOpen ? above : undefined;
  return (
    condition !== undefined &&
    !/\bif\s*\(?\s*(?:true|True|1|!false|not False)\s*\)?\s*(?:[{:]|then|$)/.test(condition)
  );
}

const SWALLOWS =
  /\bexcept(?:[^\S\n]+\(?(?:AssertionError|Exception|BaseException)[^\n:]{0,60})?:\s*pass\b|\bcatch\s*(?:\(\s*\w*[^)\n]{0,60}\))?\s*\{\s*\}|\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)|\brescue\b[^\n]{0,60}\n\s*(?:nil\s*\n\s*)?end|contextlib\.suppress\s*\(\s*(?:AssertionError|Exception)/g;

function swallowedAt({ code }: Source, from: number, to: number): number | undefined {
  const pattern = new RegExp(SWALLOWS.source, "g");
  pattern.lastIndex = from;
  const found = pattern.exec(code);
  return found && found.index < to ? found.index : undefined;
}

function looseAssertions(
  source: Source,
  language: Language,
  cases: readonly TestCase[],
  found: readonly Found[],
): readonly Assertion[] {
  const inside = new Set(cases.flatMap(({ assertions }) => assertions.map(({ offset }) => offset)));
  if (found.length === 0 && language === "sh") return [];
  return assertionsIn(source, language, 0, source.code.length).filter(
    ({ offset }) => !inside.has(offset),
  );
}

function fileMarkers(source: Source, language: Language, found: readonly Found[]): Marker[] {
  const markers: Marker[] = [];
  const { raw, code } = source;
  const add = (pattern: RegExp, text: string, conditional: boolean) => {
    for (const match of text.matchAll(pattern)) {
      const offset = match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0);
      if (!found.some(({ from, to }) => offset >= from && offset < to))
        markers.push({ type: "skip", offset, conditional });
    }
  };
  if (language === "go") {
    // Build constraints are comments before the package clause.
    const head = raw.slice(0, Math.max(0, /^package /m.exec(code)?.index ?? 0));
    add(/^\/\/(?:go:build| \+build) +[^\n]+/gm, head, true);
  }
  if (language === "python") {
    add(/^pytestmark\s*=[^\n]*\b(?:skip|xfail)(?!if)\b/gm, code, false);
    add(/^pytestmark\s*=[^\n]*\bskipif\b/gm, code, true);
    add(/^(?:pytest\.skip|raise\s+(?:unittest\.)?SkipTest)\s*\(/gm, code, false);
  }
  if (language === "rust") add(/^\s*#!\[cfg\([^\n]*\)\]/gm, code, true);
  return markers;
}

const FINDERS: Readonly<Record<Language, (source: Source, path: string) => readonly Found[]>> = {
  js: findCalls,
  python: findPython,
  go: findGo,
  rust: findRust,
  jvm: findAnnotated,
  csharp: findAnnotated,
  ruby: findRuby,
  php: findPhp,
  sh: findShell,
};

const TEST_CALL =
  /(?<![\w$.])([xf]?)(it|test|describe|suite|context|specify|Deno\.test|bench)((?:\.\w{1,20}){0,4})\s*(?=[(`])/g;
const GROUPS = new Set(["describe", "suite", "context"]);

function findCalls(source: Source): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(TEST_CALL)) {
    const [whole, prefix, word = "", modifiers = ""] = match;
    const offset = match.index;
    let open = offset + whole.length;
    let rows = 0;
    if (/\.(?:each|for)$/.test(modifiers)) {
      const table = tableEnd(source, open);
      rows = rowsIn(source, open, table);
      open = table;
      while (/\s/.test(code[open] ?? "")) open++;
    } else if (/\.(?:skipIf|runIf)$/.test(modifiers) && code[open] === "(") {
      open = (closing[open] ?? 0) + 1;
    }
    if (code[open] !== "(") continue;
    const to = closing[open] ?? 0;
    if (to === 0) continue;
    // The end of the call is not part of the fragment.
    const isCut = to === code.length;
    const name = firstArgument(source, open, to) ?? (isCut ? "" : undefined);
    // `test.skip(condition)` inside a test has no function of its own; `it.todo(name)` has none either.
    const rest = code.slice(open + 1, to);
    const isTodo = /\.todo\b/.test(modifiers);
    if (!isTodo && !isCut && !/=>|\bfunction\b|,\s*[\w$.]+\s*$/.test(rest)) continue;
    if (name === undefined) continue;
    const markers: Marker[] = [];
    const add = (type: Marker["type"], conditional = false) =>
      markers.push({ type, offset, conditional });
    if (prefix === "x" || /\.(?:skip|fixme|fails?|failing)\b/.test(modifiers)) add("skip");
    else if (prefix === "f" || /\.only\b/.test(modifiers)) add("only");
    else if (isTodo) add("todo");
    else if (/\.(?:skipIf|runIf)$/.test(modifiers)) {
      const condition = squeezed(plain.slice(offset + whole.length, open));
      add("skip", !/^\((?:true|1|false|0)\)$/.test(condition));
    }
    const options = /^[^{}()]{0,10}\{([^{}]{0,300})\}/.exec(
      code.slice(afterName(source, open, to), to),
    );
    const option = /\b(skip|todo|only|fails)\s*:\s*(?!false\b)/.exec(options?.[1] ?? "");
    if (option) add(option[1] === "only" ? "only" : option[1] === "todo" ? "todo" : "skip");
    const from = bodyStart(source, open, to);
    found.push({ name, group: GROUPS.has(word), offset, from, to, markers, rows });
  }
  return found;
}

/** After the table of a table-driven test: the end of a bracket or of a template. */
function tableEnd({ code, closing }: Source, open: number): number {
  if (code[open] === "(") return (closing[open] ?? 0) === 0 ? open : (closing[open] ?? 0) + 1;
  const end = code.indexOf("`", open + 1);
  return end === -1 ? open : end + 1;
}

/** Rows of a table: its brackets of the second level, otherwise its commas or lines. */
function rowsIn({ code, closing }: Source, open: number, end: number): number {
  if (code[open] === "`") return Math.max(1, code.slice(open, end).split("\n").length - 2);
  let rows = 0;
  const list = code.slice(open, end).search(/[[{]/);
  if (list === -1) return 1;
  const start = open + list;
  const stop = closing[start] ?? 0;
  let commas = 0;
  for (let at = start + 1; at < stop; at++) {
    if (code[at] === ",") commas++;
    if (!/[[({]/.test(code[at] ?? "")) continue;
    rows++;
    at = Math.max(at, closing[at] ?? 0);
  }
  return Math.max(rows, commas + 1);
}

function firstArgument({ code, plain }: Source, open: number, to: number): string | undefined {
  const start = open + 1 + (/^\s*/.exec(code.slice(open + 1, open + 500))?.[0].length ?? 0);
  const quote = code[start] ?? "";
  if (/["'`]/.test(quote)) {
    const end = code.indexOf(quote, start + 1);
    return end === -1 || end > to ? undefined : squeezed(plain.slice(start + 1, end));
  }
  const word = /^[\w$.]{1,100}/.exec(code.slice(start, start + 100))?.[0];
  return word !== undefined && code[start + word.length] === "," ? word : undefined;
}

function afterName({ code }: Source, open: number, to: number): number {
  const comma = code.indexOf(",", open);
  return comma === -1 || comma > to ? to : comma;
}

/** The body of the function that a test passes, without name and options. */
function bodyStart(source: Source, open: number, to: number): number {
  const from = afterName(source, open, to);
  const rest = source.code.slice(from, to);
  const start = /=>|\bfunction\b[^({]{0,80}\([^)]{0,300}\)/.exec(rest);
  return start ? from + start.index + start[0].length : from;
}

const PYTHON_DEF = /^([ \t]*)(?:async[ \t]+)?(?:def[ \t]+(test\w*)|class[ \t]+(\w+))[ \t]*[(:]/gm;
const PYTHON_SKIP =
  /^@(?:pytest\.mark\.|mark\.|unittest\.|nose\.tools\.)?(skip(?:if|If|Unless)?|xfail|expectedFailure)\b/;

function findPython(source: Source): readonly Found[] {
  const { code, lines } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(PYTHON_DEF)) {
    const [, indent = "", test, group] = match;
    const line = lineAt(source, match.index) - 1;
    const { markers, rows } = pythonDecorators(source, line, indent);
    const name = test ?? group ?? "";
    if (test === undefined && !/^Test|Tests?$|TestCase/.test(name)) continue;
    const from = lines[line + 1] ?? code.length;
    const header = headerEnd(source, match.index + match[0].length - 1);
    const to = test === undefined ? from : indentedEnd(source, lineAt(source, header), indent);
    const start = Math.min(Math.max(header + 1, 0), to);
    found.push({
      name,
      group: test === undefined,
      offset: match.index + indent.length,
      from: Math.max(start, 0),
      to: Math.max(to, start),
      markers,
      rows,
    });
  }
  return found;
}

/** The colon at the end of a function's header. */
function headerEnd({ code, closing }: Source, open: number): number {
  if (code[open] !== "(") return open;
  const end = closing[open] || open;
  const colon = code.indexOf(":", end);
  const arrow = code.slice(end, colon === -1 ? end : colon);
  return colon === -1 || arrow.includes("\n\n") ? end : colon;
}

/** The end of the lines that are indented deeper, from a line on. */
function indentedEnd({ code, lines }: Source, line: number, indent: string): number {
  for (let at = line; at < lines.length; at++) {
    const start = lines[at] ?? 0;
    const text = code.slice(start, lines[at + 1] ?? code.length);
    if (text.trim() === "") continue;
    const depth = /^[ \t]*/.exec(text)?.[0].length ?? 0;
    if (depth <= indent.length) return start;
  }
  return code.length;
}

const MAX_DECORATORS = 60;

function pythonDecorators(source: Source, line: number, indent: string) {
  const { code, plain, lines, closing } = source;
  const markers: Marker[] = [];
  let rows = 0;
  for (let at = line - 1; at >= 0 && line - at < MAX_DECORATORS; at--) {
    const start = lines[at] ?? 0;
    const text = code.slice(start, (lines[at + 1] ?? code.length + 1) - 1);
    const own = text.slice(indent.length);
    if (text.trim() === "") break;
    if (!text.startsWith(indent) || (/^\S/.test(own) && !/^[@)\]}]/.test(own))) break;
    if (!own.startsWith("@")) continue;
    const offset = start + indent.length;
    const skip = PYTHON_SKIP.exec(own);
    if (skip) {
      const open = code.indexOf("(", offset);
      const argument =
        open !== -1 && open < offset + own.length && (closing[open] ?? 0) > 0
          ? squeezed(plain.slice(open + 1, closing[open]))
          : "";
      const word = skip[1] ?? "";
      const constant = /^(?:True|1|condition=True|False\b)/.test(argument);
      const conditional = /^skip(?:if|If|Unless)$/.test(word) && !constant;
      markers.push({ type: "skip", offset, conditional });
    }
    if (/^@(?:pytest\.mark\.)?parametrize\b|^@parameterized/.test(own)) {
      const open = code.indexOf("(", offset);
      const list = open === -1 ? -1 : code.indexOf("[", open);
      if (list !== -1 && list < (closing[open] ?? 0))
        rows += rowsIn(source, list, closing[list] ?? 0);
    }
  }
  return { markers, rows };
}

const GO_TEST =
  /^func +((?:Test|Fuzz|Benchmark|Example)(?:[A-Z0-9_]\w*)?) *\([^)\n]{0,200}\) *\{/gm;

function findGo(source: Source): readonly Found[] {
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

function findRust(source: Source): readonly Found[] {
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

function findAnnotated(source: Source): readonly Found[] {
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
      /@(?:Disabled|Ignore|Ignored)\b(?!If|On|For)|\[(?:Ignore|Explicit)\b|\bSkip\s*=|@(?:Disabled|Enabled)(?:If|On|For)\w*/.exec(
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

const RUBY_TEST =
  /^([ \t]*)(?:([xf]?)(it|specify|scenario|test|describe|context)[ \t(]+(["'])|def[ \t]+(test_\w+))/gm;

function findRuby(source: Source): readonly Found[] {
  const { code, plain, lines } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(RUBY_TEST)) {
    const [whole, indent = "", prefix, word = "def", quote, method] = match;
    const start = match.index + whole.length;
    const end = quote === undefined ? start : code.indexOf(quote, start);
    const name = method ?? plain.slice(start, end === -1 ? start : end);
    const line = lineAt(source, match.index);
    const header = code.slice(start, lines[line] ?? code.length);
    const offset = match.index + indent.length;
    const markers: Marker[] = [];
    if (prefix === "x" || /\bskip: *(?!false)|, *:skip|\bpending: *(?!false)/.test(header))
      markers.push({ type: "skip", offset, conditional: false });
    if (prefix === "f" || /\bfocus: *true|, *:focus/.test(header))
      markers.push({ type: "only", offset, conditional: false });
    const group = word === "describe" || word === "context";
    const to = group ? start : indentedEnd(source, line, indent);
    found.push({
      name,
      group,
      offset,
      from: Math.min(lines[line] ?? code.length, to),
      to,
      markers,
    });
  }
  return found;
}

function findPhp(source: Source): readonly Found[] {
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

function findShell(source: Source, path: string): readonly Found[] {
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
