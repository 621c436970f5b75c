import { expectation } from "./assertions.ts";
import type { Language } from "./languages.ts";
import type { Sign } from "./signs.ts";
import { lineAt, type Source } from "./source.ts";

/** Spellings that keep a test from running whatever its condition. */
const SKIPS: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /(?<![\w$.])(?:it|test|describe|suite|context)\.(?:skip|fixme|failing|fails)(?![\w$])|(?<![\w$.])x(?:it|test|describe)\s*\(|(?<![\w$.])skip\s*:\s*true\b/g,
  python:
    /@(?:pytest\.mark\.|mark\.|unittest\.)?(?:skip(?!if|If|Unless)|xfail|expectedFailure)\b|\bskip[iI]f\(\s*True\b|\bskipUnless\(\s*False\b|^[ \t]+return[ \t]*$/gm,
  rust: /#\[(?:ignore|should_panic)\b/g,
  jvm: /@(?:Disabled|Ignored?)\b(?!If|On|For)/g,
  csharp: /\[Ignore\b|\bSkip\s*=/g,
};
const FOCUS: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /(?<![\w$.])(?:it|test|describe|suite|context)\.only(?![\w$])|(?<![\w$.])f(?:it|describe)\s*\(|(?<![\w$.])only\s*:\s*true\b/g,
};
/** Names by which a runner finds tests. */
const TESTS: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /(?<![\w$.])(?:it|test)(?:\.\w+)?\s*\(/g,
  python: /\bdef test/g,
  go: /^func Test/gm,
  rust: /#\[(?:\w+::){0,3}(?:test|rstest)\b/g,
};

/**
 * Signs of a fragment in which no test could be compared. Each spelling counts only if it was added; tests
 * are lost only if the fragment has no whole test.
 */
export function spellingSigns(
  file: string,
  language: Language,
  before: Source,
  after: Source,
  isCut: boolean,
): readonly Sign[] {
  // A fragment may start inside a string; then strings and code are mixed up.
  const isOdd = (before.raw.match(/"/g) ?? []).length % 2 === 1;
  const textOf = ({ raw, code }: Source) =>
    isOdd ? raw.replace(/(?:\/\/|#(?!\[)).*/g, (comment) => " ".repeat(comment.length)) : code;
  const offsets = (source: Source, pattern: RegExp | undefined) =>
    pattern ? [...textOf(source).matchAll(pattern)].map(({ index }) => index) : [];
  const count = (source: Source) => offsets(source, TESTS[language]).length;
  const added = (pattern: RegExp | undefined) => {
    const now = offsets(after, pattern);
    return now.length > offsets(before, pattern).length ? now[0] : undefined;
  };
  const lineOf = (offset: number) =>
    lineAt(after, offset + (/^\s*/.exec(after.raw.slice(offset, offset + 200))?.[0].length ?? 0));
  const skip = count(after) > count(before) ? undefined : added(SKIPS[language]);
  if (skip !== undefined) return [{ kind: "test_skipped", file, line: lineOf(skip) }];
  const focus = added(FOCUS[language]);
  if (focus !== undefined) return [{ kind: "test_focused", file, line: lineOf(focus) }];
  if (!isCut) return [];
  const [lost] = offsets(before, TESTS[language]);
  if (count(after) === 0 && lost !== undefined) {
    const text = before.plain.slice(lost).split("\n")[0] ?? "";
    return [{ kind: "test_removed", file, line: null, text }];
  }
  return expectsOther(language, before.raw, after.raw)
    ? [{ kind: "expectation_changed", file, line: 1 }]
    : [];
}

/** Whether only the value of a comparison differs. */
function expectsOther(language: Language, before: string, after: string): boolean {
  const compares = language === "sh" ? /[=!]=| = |-eq / : /[=!]=/;
  if (!compares.test(before) || before.includes("\n")) return false;
  const [[was, value], [now, other]] = [expectation(before), expectation(after)];
  return was === now && value !== other && other !== "";
}
