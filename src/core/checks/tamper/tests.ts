import { type Assertion, expectation, literalsOf } from "./assertions.ts";
import { readTests, type TestCase, type TestFile } from "./cases.ts";
import type { Marker } from "./find/found.ts";
import { isTestPath, languageOf } from "./languages.ts";
import { replacedCode } from "./replaced.ts";
import type { Sign } from "./signs.ts";
import { lineAt } from "./source.ts";
import { spellingSigns } from "./spellings.ts";
import type { FileChange, TamperKind } from "./warning.ts";

interface Pair {
  readonly before: TestCase;
  readonly after: TestCase;
}

/** Compares the tests of all files: a test may move between files. */
export function testSigns(changes: readonly FileChange[], isFragment = false): readonly Sign[] {
  const before = filesOf(changes, "before", isFragment);
  const after = filesOf(changes, "after", isFragment);
  const matched = matchCases(allCases(before), allCases(after));
  const signs = [
    ...removalSigns(changes, matched.removed, allCases(after)),
    ...markerSigns(before, after, matched),
    ...assertionSigns(before, after, matched),
    ...replacedCode(before, after),
  ];
  if (!isFragment || signs.length > 0) return signs;
  return changes.flatMap(({ path }) => {
    const language = languageOf(path);
    const [was, now] = [before.get(path), after.get(path)];
    if (!language || !was || !now) return [];
    // A script is one test, whatever part of it is compared.
    const isCut = language === "sh" || was.cases.every(({ name }) => name === "");
    return spellingSigns(path, language, was.source, now.source, isCut);
  });
}

function filesOf(changes: readonly FileChange[], side: "before" | "after", isFragment: boolean) {
  const files = new Map<string, TestFile>();
  for (const change of changes) {
    // Text that did not change has no signs.
    if (change.before === change.after) continue;
    const file = readTests(change.path, change[side], isFragment);
    if (file) files.set(change.path, file);
  }
  return files;
}

type Files = ReadonlyMap<string, TestFile>;

function allCases(files: Files): readonly TestCase[] {
  return [...files.values()].flatMap(({ cases }) => cases);
}

interface Matched {
  readonly pairs: readonly Pair[];
  readonly removed: readonly TestCase[];
  readonly added: readonly TestCase[];
}

/**
 * Matches tests by name, then by body, then by the words that they share: a renamed test that was
 * edited too is still the same test.
 */
function matchCases(before: readonly TestCase[], after: readonly TestCase[]): Matched {
  const pairs: Pair[] = [];
  let left = before;
  let right = after;
  const keys: readonly ((each: TestCase) => string)[] = [
    ({ file, name, body }) => `${file}\n${name}\n${body}`,
    ({ file, name }) => `${file}\n${name}`,
    ({ name, body }) => `${name}\n${body}`,
    ({ name, group }) => `${group}\n${name}`,
    // A body that says nothing is not a match, unless the rest of the test is outside of the fragment.
    ({ body, group, isCut, file }) =>
      isCut && !group ? file : group || body.length < 12 ? "" : body,
  ];
  for (const key of keys) {
    const waiting = new Map<string, TestCase[]>();
    for (const each of right) {
      const list = waiting.get(key(each));
      if (list) list.push(each);
      else waiting.set(key(each), [each]);
    }
    const taken = new Set<TestCase>();
    const unmatched: TestCase[] = [];
    for (const each of left) {
      const wanted = key(each);
      const found = wanted === "" ? undefined : waiting.get(wanted)?.shift();
      if (found) {
        pairs.push({ before: each, after: found });
        taken.add(found);
      } else unmatched.push(each);
    }
    left = unmatched;
    right = right.filter((each) => !taken.has(each));
  }
  return bySimilarity(pairs, left, right);
}

const MAX_COMPARED = 200;
const SIMILAR = 0.5;

function bySimilarity(
  known: readonly Pair[],
  before: readonly TestCase[],
  after: readonly TestCase[],
): Matched {
  const pairs = [...known];
  const removed: TestCase[] = [];
  const open = new Set(after.filter(({ group }) => !group).slice(0, MAX_COMPARED));
  const words = new Map([...open].map((each) => [each, wordsOf(each.body)]));
  for (const [index, each] of before.entries()) {
    if (each.group || index >= MAX_COMPARED) {
      if (!each.group) removed.push(each);
      continue;
    }
    const own = wordsOf(each.body);
    let best: TestCase | undefined;
    let most = SIMILAR;
    for (const candidate of open) {
      const share = sharedWords(own, words.get(candidate) ?? new Set());
      if (share < most || candidate.rows > 0) continue;
      best = candidate;
      most = share;
    }
    if (best) {
      open.delete(best);
      pairs.push({ before: each, after: best });
    } else removed.push(each);
  }
  return { pairs, removed, added: after.filter((each) => each.group || open.has(each)) };
}

function wordsOf(body: string): ReadonlySet<string> {
  return new Set(body.slice(0, 4_000).match(/\w+/g) ?? []);
}

/** Share of the words that two texts have in common. */
function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common++;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
}

function removalSigns(
  changes: readonly FileChange[],
  removed: readonly TestCase[],
  after: readonly TestCase[],
): readonly Sign[] {
  const signs: Sign[] = [];
  // A table-driven test replaces as many tests as it has rows.
  const rows = new Map<string, number>();
  for (const { file, rows: count } of after) rows.set(file, (rows.get(file) ?? 0) + count);
  const gone = removed.filter(({ name, file, body, assertions }) => {
    // The start of a fragment is not a test.
    if (name === "" && assertions.length === 0) return false;
    const left = rows.get(file) ?? 0;
    if (left === 0 || !keepsLiterals(body, assertions, after, file)) return true;
    rows.set(file, left - 1);
    return false;
  });
  const byFile = new Map<string, TestCase[]>();
  for (const each of gone) byFile.set(each.file, [...(byFile.get(each.file) ?? []), each]);
  for (const [file, cases] of byFile) {
    const change = changes.find(({ path }) => path === file);
    const isWhole = change?.before != null && isFileGone(change, cases, removed);
    if (isWhole) signs.push({ kind: "test_file_removed", file, line: null, text: file });
    else
      for (const { name } of cases)
        signs.push({ kind: "test_removed", file, line: null, text: name });
  }
  return signs;
}

/** Whether the values of a removed test are in a table of the same file. */
function keepsLiterals(
  body: string,
  assertions: readonly Assertion[],
  after: readonly TestCase[],
  file: string,
): boolean {
  const wanted = literalsOf(assertions.map(({ text }) => text).join(" "));
  if (wanted.length === 0) return body !== "";
  const tables = after.filter((each) => each.file === file && each.rows > 0);
  return tables.length > 0 && tables.some(({ assertions: kept }) => kept.length > 0);
}

/** A file whose tests are all removed, in a file that runners no longer collect. */
function isFileGone(
  { path, after }: FileChange,
  gone: readonly TestCase[],
  removed: readonly TestCase[],
): boolean {
  if (after !== null && languageOf(path) !== "sh") return false;
  if (after !== null) return after.trim() === "";
  return isTestPath(path) && gone.length === removed.filter(({ file }) => file === path).length;
}

function markerSigns(before: Files, after: Files, { pairs, added }: Matched): readonly Sign[] {
  const signs: Sign[] = [];
  const sign = (file: string, { offset, type }: Marker) => {
    const source = after.get(file)?.source;
    if (!source) return;
    signs.push({
      kind: type === "only" ? "test_focused" : "test_skipped",
      file,
      line: lineAt(source, offset),
    });
  };
  const isNew = (was: readonly Marker[], { type, conditional }: Marker) =>
    !was.some((known) => known.type === type && (conditional || !known.conditional)) &&
    !(type === "todo" && was.length > 0);
  for (const { before: was, after: now } of pairs) {
    const marker = now.markers.find((each) => isNew(was.markers, each));
    if (!marker) continue;
    // A test that was skipped in another way still does not run.
    if (
      marker.type !== "only" &&
      was.markers.some(({ type, conditional }) => type !== "only" && !conditional)
    )
      continue;
    sign(now.file, marker);
  }
  for (const each of added) {
    // A new test may depend on the platform, and a todo is only an idea for a test.
    const marker = each.markers.find(({ type, conditional }) => type !== "todo" && !conditional);
    if (marker && !isInSkippedPair(each, pairs)) sign(each.file, marker);
  }
  const known = [...before.values()].flatMap(({ markers }) => markers.length);
  let spare = known.reduce((sum, count) => sum + count, 0);
  for (const [path, file] of after) {
    for (const marker of file.markers) {
      const isNewFile = !before.has(path) && spare === 0;
      if (spare > 0) spare--;
      else if (!(isNewFile && marker.conditional && !/ignore\b/.test(lineText(file, marker))))
        sign(path, marker);
    }
  }
  return signs;
}

function lineText({ source }: TestFile, { offset }: Marker): string {
  return source.raw.slice(offset, offset + 80).split("\n")[0] ?? "";
}

/** A group that takes over the marker of its tests: all of them were skipped before. */
function isInSkippedPair(group: TestCase, pairs: readonly Pair[]): boolean {
  if (!group.group || group.body === "") return false;
  const inside = pairs.filter(
    ({ after }) => after.file === group.file && !after.group && group.body.includes(after.body),
  );
  return (
    inside.length > 0 &&
    inside.every(({ before }) => before.markers.some(({ type }) => type !== "only"))
  );
}

function assertionSigns(before: Files, after: Files, { pairs, added }: Matched): readonly Sign[] {
  const signs: Sign[] = [];
  const elsewhere = addedElsewhere(before, after, pairs);
  for (const pair of pairs) {
    if (pair.before.group || pair.before.body === pair.after.body) continue;
    // An idea in place of a test is shown as skipped.
    if (pair.after.markers.some(({ type }) => type === "todo")) continue;
    const found = pairSign(pair, elsewhere);
    if (found) signs.push(placed(after, pair.after.file, found));
  }
  for (const { file, group, assertions } of added) {
    const [first] = assertions;
    if (group || !first || assertions.some(({ strength }) => strength !== "trivial")) continue;
    signs.push(placed(after, file, { kind: "assertion_emptied", at: first.offset }));
  }
  return signs;
}

interface Place {
  readonly kind: TamperKind;
  /** Offset in the new file. */
  readonly at?: number;
  readonly text?: string;
}

function placed(after: Files, file: string, { kind, at, text }: Place): Sign {
  const source = after.get(file)?.source;
  return {
    kind,
    file,
    line: source && at !== undefined ? lineAt(source, at) : null,
    ...(text !== undefined && { text }),
  };
}

/** Assertions that appear outside the test that they were in: in helpers and in other tests. */
function addedElsewhere(before: Files, after: Files, pairs: readonly Pair[]) {
  const count = (files: Files) => {
    const counts = new Map<string, number>();
    for (const { loose, cases } of files.values())
      for (const each of [...loose, ...startOf(cases)])
        counts.set(shapeOf(each), (counts.get(shapeOf(each)) ?? 0) + 1);
    return counts;
  };
  const was = count(before);
  const helpers = new Set<string>();
  for (const [shape, number] of count(after))
    if (number > (was.get(shape) ?? 0)) helpers.add(shape).add(shape.trimEnd());
  const moved = new Map<string, number>();
  const add = (text: string, by: number) => moved.set(text, (moved.get(text) ?? 0) + by);
  const paired = new Set(pairs.map(({ after: each }) => each));
  for (const pair of pairs)
    for (const { text } of unlike(pair.after.assertions, pair.before.assertions)) add(text, 1);
  for (const { cases } of after.values())
    for (const each of cases)
      if (!paired.has(each)) for (const { text } of each.assertions) add(text, 1);
  return { helpers, moved };
}

/** The assertions before the first whole test of a fragment: of a helper or of another test. */
function startOf(cases: readonly TestCase[]): readonly Assertion[] {
  return cases.length > 1 && cases[0]?.name === "" ? cases[0].assertions : [];
}

/** An assertion without the names of variables: helpers use other parameter names. */
function shapeOf({ text }: Assertion): string {
  return [callOf(text), ...literalsOf(text)].join(" ");
}

function callOf(text: string): string {
  const call = /^[\w.!]+/.exec(text)?.[0] ?? "";
  const matcher = /\.(to\w+|not)\b/.exec(text)?.[1] ?? "";
  return `${call} ${matcher}`.trimEnd();
}

/** Elements of one list that the other does not have as often. */
function unlike(one: readonly Assertion[], other: readonly Assertion[]): readonly Assertion[] {
  const counts = new Map<string, number>();
  for (const { text } of other) counts.set(text, (counts.get(text) ?? 0) + 1);
  return one.filter(({ text }) => {
    const left = counts.get(text) ?? 0;
    if (left > 0) counts.set(text, left - 1);
    return left === 0;
  });
}

function pairSign(
  { before, after }: Pair,
  { helpers, moved }: ReturnType<typeof addedElsewhere>,
): Place | undefined {
  const isReal = ({ strength }: Assertion) => strength !== "trivial";
  const gone = unlike(before.assertions.filter(isReal), after.assertions.filter(isReal));
  const come = unlike(after.assertions.filter(isReal), before.assertions.filter(isReal));
  const trivial = unlike(
    after.assertions.filter((each) => !isReal(each)),
    before.assertions.filter((each) => !isReal(each)),
  );
  if (after.swallows !== undefined && before.swallows === undefined && before.assertions.length > 0)
    return { kind: "assertion_emptied", at: after.swallows };
  const covered = (each: Assertion) => {
    const count = moved.get(each.text) ?? 0;
    if (count > 0) {
      moved.set(each.text, count - 1);
      return true;
    }
    if (helpers.has(shapeOf(each))) return true;
    const literals = literalsOf(each.text);
    // A new helper has the same assertion, with its values as arguments.
    const isHelped =
      come.some(({ strength }) => strength === "strong") || helpers.has(callOf(each.text));
    return isHelped && literals.length > 0 && literals.every((one) => after.body.includes(one));
  };
  const short = gone.length - come.length;
  if (short > 0) {
    const missing = gone.filter((each) => !covered(each));
    if (missing.length > come.length || (missing.length > 0 && come.length === 0)) {
      if (trivial[0]) return { kind: "assertion_emptied", at: trivial[0].offset };
      return { kind: "assertion_removed", at: after.offset, text: missing[0]?.text ?? "" };
    }
  }
  const strong = (all: readonly Assertion[]) => all.filter(({ strength }) => strength === "strong");
  const weak = come.find(({ strength }) => strength === "weak");
  if (weak && strong(gone).length > strong(come).length && short <= 0)
    return { kind: "assertion_weakened", at: weak.offset };
  return changedExpectation(gone, come, before, after);
}

/** Comparisons that are not part of an assertion: `if got != 3 {` before `t.Error`. */
const COMPARISON = /\bif [^{}]{1,300}!= [^{}]{1,200}\{/g;

/** The same assertion with another expected value, which is the last one. */
function changedExpectation(
  gone: readonly Assertion[],
  come: readonly Assertion[],
  before: TestCase,
  after: TestCase,
): Place | undefined {
  const known = new Map(
    [...gone.map(({ text }) => text), ...(before.body.match(COMPARISON) ?? [])].map(expectation),
  );
  const isChanged = (text: string) => {
    const [subject, value] = expectation(text);
    const was = known.get(subject);
    return was !== undefined && was !== value && value !== "";
  };
  const found = come.find(({ text }) => isChanged(text));
  if (found) return { kind: "expectation_changed", at: found.offset };
  const compared = (after.body.match(COMPARISON) ?? []).find(isChanged);
  return compared === undefined
    ? undefined
    : { kind: "expectation_changed", at: after.offset, text: compared };
}
