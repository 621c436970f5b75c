import type { TestFile } from "./cases.ts";
import type { Sign } from "./signs.ts";
import { lineAt, type Source } from "./source.ts";

type Files = ReadonlyMap<string, TestFile>;

const MAX_NAMES = 200;
/** Definitions of functions and variables, with the name in one of the groups. */
const DEFINITIONS =
  /(?:^|(?<=[\s;{}]))(?:(?:const|let|var|function|def|fn|func)[ \t]+(\w+)(?=\s*[=(])|(\w+)[ \t]*\(\)[ \t]*\{|(\w+)[ \t]*=[ \t]*lambda\b)/gm;
const CALLS = /(?<![\w.])([A-Za-z_]\w*)(?=\(| [-\w"$'])/g;
const MOCKS =
  /(?:(?:vi|jest)\.(?:mock|doMock)|mock\.module)\s*\(\s*(["'])(\.[^"'\n]{1,200})\1|\bpatch\(\s*(["'])[\w.]{1,200}?(\w+)\3/g;

/** Imports of the code under test: names, or all of a file. */
const IMPORTS =
  /^[ \t]*(?:import[ \t]+\{([^}]{1,400})\}[ \t]+from[ \t]+["']\.|from[ \t]+[\w.]+[ \t]+import[ \t]+([^\n(]{1,300})|(?:use super::\*|(?:\.|source) \.?\/?[\w./-]+\.sh)(?=[;\s]|$))/gm;

/** Tests that define the functions they tested before, or mock them: the code is no longer tested. */
export function replacedCode(before: Files, after: Files): readonly Sign[] {
  return [...after].flatMap(([file, { source }]): readonly Sign[] => {
    const was = before.get(file);
    if (!was || was.source.raw === source.raw) return [];
    const used = usedNames(was);
    const { names, files } = importsOf(was.source);
    const now = importsOf(source);
    const isLost = files.some((each) => !now.files.includes(each));
    const known = definitionsOf(was.source);
    const isReplaced = (name: string) =>
      used.has(name) || isLost || (names.includes(name) && !now.names.includes(name));
    const found = [...definitionsOf(source)].find(
      ([name, { count }]) => count > (known.get(name)?.count ?? 0) && isReplaced(name),
    );
    const at = found?.[1].last ?? mockedAt(was.source, source, used);
    return at === undefined ? [] : [{ kind: "code_replaced", file, line: lineAt(source, at) }];
  });
}

function importsOf({ plain }: Source): { names: readonly string[]; files: readonly string[] } {
  const names: string[] = [];
  const files: string[] = [];
  for (const [text, some, others] of plain.matchAll(IMPORTS)) {
    const list = some ?? others;
    if (list === undefined) files.push(text.trim());
    else
      names.push(
        ...list.split(",").map(
          (each) =>
            each
              .trim()
              .split(/\s+as\s+/)
              .at(-1) ?? "",
        ),
      );
  }
  return { names, files };
}

/** Names of functions that the assertions of a file call. */
function usedNames({ cases, loose }: TestFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of [...cases.flatMap(({ assertions }) => assertions), ...loose])
    for (const [, name = ""] of text.matchAll(CALLS))
      if (names.size < MAX_NAMES && !/^(?:test|assert|expect)/.test(name)) names.add(name);
  return names;
}

function definitionsOf({ code }: Source): ReadonlyMap<string, { count: number; last: number }> {
  const found = new Map<string, { count: number; last: number }>();
  for (const match of code.matchAll(DEFINITIONS)) {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    found.set(name, { count: (found.get(name)?.count ?? 0) + 1, last: match.index });
  }
  return found;
}

/** A new mock of a module that the test imports, or of a function that it calls. */
function mockedAt(before: Source, after: Source, used: ReadonlySet<string>): number | undefined {
  for (const match of after.plain.matchAll(MOCKS)) {
    const [text, , path, , name] = match;
    if (before.plain.includes(text)) continue;
    const isImported =
      path !== undefined && new RegExp(`from ["']${escapeRegex(path)}["']`).test(before.plain);
    if (isImported || (name !== undefined && used.has(name))) return match.index;
  }
  return undefined;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
