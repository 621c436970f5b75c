import { type Assertion, assertionsIn } from "./assertions.ts";
import type { Found, Marker } from "./find/found.ts";
import { FINDERS } from "./find/index.ts";
import { baseName, isTestPath, type Language, languageOf } from "./languages.ts";
import { bodyMarkers, callMarkers, fileMarkers, swallowedAt } from "./markers.ts";
import { readSource, type Source, squeezed } from "./source.ts";

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
  /** Nothing of its body is part of the fragment. */
  readonly isCut?: boolean;
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
  const isTest = inTest || /#\[(?:\w+::){0,3}test\b|\bfn \w+|\buse super::/.test(source.code);
  if (assertions.length === 0 && markers.length === 0 && !isTest) return undefined;
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
    isCut: name !== "" && /^[\s{]*$/.test(source.code.slice(from, to)) && to >= source.code.length,
  };
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
