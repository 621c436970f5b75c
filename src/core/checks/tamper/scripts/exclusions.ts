import { languageOf } from "../languages.ts";
import type { Sign } from "../signs.ts";
import { mask, squeezed } from "../source.ts";
import type { FileChange } from "../warning.ts";
import { type Kind, kindOf, MAX_CONFIG, runsCheck } from "./files.ts";
import { firstOf, lineOf } from "./settings.ts";

const EXCLUDE_KEY =
  /(?<![\w-])(testPathIgnorePatterns|modulePathIgnorePatterns|testIgnore|exclude|ignore|ignores|excludes|collect_ignore(?:_glob)?|norecursedirs|excludedGroups|skipTests|maven\.test\.skip|spec_exclude|autotests|harness|test|testNamePattern|testRegex|grepInvert|grep|invert|passWithNoTests|doctest|default-filter)["']?\s*(?:\+?=|:|>)\s*/g;
const INCLUDE_KEY =
  /(?<![\w-])(testMatch|include|testpaths|spec|specs|testDir|python_files|python_functions|python_classes|roots|files|testRegex)["']?\s*(?:=|:)\s*/g;
const EXCLUDE_OPTION =
  /\s?(?:--ignore(?:-glob)?[= ]|--deselect[= ]|-k ?["']?not |-m ?["']?not |--testPathIgnorePatterns[= ]|--exclude[= ]|-t ["']|--skip[= ]|-skip[= ]|-DskipTests|--grep[= ]|--invert\b|-run[= ]|--testNamePattern[= ]|--passWithNoTests|--filter[= ]|-x test\b)[^\n]{0,160}/g;
/** Folders that hold no tests of the project. */
const NO_TESTS =
  /^[*./\\^]*(?:node_modules|dist|build|coverage|\.?venv|vendor|target|out|tmp|temp|\.cache|\.git|\.next|\.tox|\.nox|__pycache__|\.turbo|lib|es|cjs|esm|\.idea|\.yarn|bower_components|site-packages|\.eggs|\.mypy_cache|\.direnv|generated|fixtures)\b[*./\\$]*$/;

export function excludedTests(changes: readonly FileChange[]): readonly Sign[] {
  return changes.flatMap(({ path, before, after }): readonly Sign[] => {
    const kind = kindOf(path);
    if (after === null || after.length > MAX_CONFIG || before === null) return [];
    if (kind !== "config" && kind !== "package" && kind !== "make" && kind !== "ci") return [];
    const was = exclusionsOf(before, kind, path);
    const now = exclusionsOf(after, kind, path);
    const added = now.excluded.find(
      ({ value }) => !was.excluded.some((known) => known.value === value),
    );
    if (added) return [{ kind: "tests_excluded", file: path, line: lineOf(after, added.offset) }];
    const lost = was.included.find(
      ({ value }) => !now.included.some((known) => known.value === value),
    );
    const key = lost && now.included.find((each) => each.key === lost.key);
    // A wider pattern may replace several; a key that is gone means the runner's default.
    if (
      lost &&
      key &&
      now.included.length <= was.included.length &&
      !isWider(key.value, lost.value)
    )
      return [{ kind: "tests_excluded", file: path, line: lineOf(after, key.offset) }];
    return [];
  });
}

function isWider(now: string, was: string): boolean {
  const stem = (glob: string) => glob.replace(/[*?{}()[\]|,!+@].*$/s, "");
  return (
    was.startsWith(stem(now)) &&
    stem(now).length < was.length &&
    /[*]|\/$|^[\w./-]+$/.test(now) &&
    stem(now).length <= stem(was).length
  );
}

interface Pattern {
  readonly key: string;
  readonly value: string;
  readonly offset: number;
}

function exclusionsOf(
  text: string,
  kind: Kind,
  path: string,
): { excluded: Pattern[]; included: Pattern[] } {
  const language = languageOf(path);
  const plain = language
    ? mask(text, language).plain
    : text.replace(/(?<=^|\s)[#;](?!!)[^\n]*/gm, (comment) => " ".repeat(comment.length));
  const excluded: Pattern[] = [];
  const included: Pattern[] = [];
  if (kind === "config" || kind === "package") {
    const isRunnerConfig =
      kind === "config" || /"(?:jest|mocha|ava|vitest|nyc|c8|tap)"\s*:/.test(plain);
    if (isRunnerConfig) {
      for (const match of firstOf(plain, EXCLUDE_KEY)) {
        const [, key = ""] = match;
        const at = match.index + match[0].length;
        if (
          /coverage|tsconfig|eslint|ruff|mypy|black|isort|flake8|packages|package-data|sdist|wheel|hatch|poetry/.test(
            sectionOf(plain, match.index),
          )
        )
          continue;
        for (const value of valuesAt(plain, at, key))
          excluded.push({ key, value: `${key} ${value}`, offset: match.index });
      }
      for (const match of firstOf(plain, INCLUDE_KEY)) {
        const [, key = ""] = match;
        if (key === "files" && kind === "package") continue;
        if (
          /coverage|packages|package-data|wheel|sdist|hatch|poetry/.test(
            sectionOf(plain, match.index),
          )
        )
          continue;
        for (const value of valuesAt(plain, match.index + match[0].length, key))
          included.push({ key, value, offset: match.index });
      }
    }
  }
  for (const match of firstOf(plain, EXCLUDE_OPTION)) {
    const line = plain.slice(
      plain.lastIndexOf("\n", match.index) + 1,
      plain.indexOf("\n", match.index + 1) >>> 0,
    );
    const isOption =
      kind === "config"
        ? /addopts|commands|pytest|argLine|args|session\.run|^\s+/.test(line)
        : runsCheck(line) || /"[\w:-]{0,100}(?:test|check|lint)[\w:-]{0,100}"\s*:/.test(line);
    const folder =
      squeezed(match[0])
        .replace(/^--?[\w-]+[= ]?["']?/, "")
        .split(/[\s"',]/)[0] ?? "";
    if (isOption && !NO_TESTS.test(folder))
      excluded.push({
        key: "option",
        value: squeezed(match[0]).slice(0, 80),
        offset: match.index + (match[0].startsWith(" ") ? 1 : 0),
      });
  }
  return { excluded, included };
}

/** The section or block that an offset is in: the last header, or the last key that opens a bracket. */
function sectionOf(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - 1_500), offset);
  const header = /\[([^\]\n]{1,80})\]\s*(?:\n(?!\[)[^\n]*)*$/.exec(before)?.[1];
  if (header !== undefined && /^[\w.:"-]+$/.test(header)) return header;
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === "}") depth++;
    if (before[at] !== "{") continue;
    if (depth === 0)
      return /([\w"'-]{1,60})\s*[:=]\s*$/.exec(before.slice(Math.max(0, at - 80), at))?.[1] ?? "";
    depth--;
  }
  return "";
}

/** The strings of a list, or the single value, at an offset. */
function valuesAt(text: string, at: number, key: string): readonly string[] {
  const open = text[at] ?? "";
  if (open === "[" || open === "(") {
    const end = text.indexOf(open === "[" ? "]" : ")", at);
    const strings =
      text
        .slice(at, end === -1 ? at : Math.min(end, at + 4_000))
        .match(/"[^"\n]{1,200}"|'[^'\n]{1,200}'/g) ?? [];
    return strings.map((each) => each.slice(1, -1)).filter((each) => !NO_TESTS.test(each));
  }
  const value = squeezed(/^[^\n,}<]{0,200}/.exec(text.slice(at, at + 200))?.[0] ?? "").replace(
    /^["']|["';]+$/g,
    "",
  );
  // Settings of one word say only with some values that tests are left out.
  if (/^(?:test|harness|autotests|doctest)$/.test(key)) return value === "false" ? [value] : [];
  if (/^(?:passWithNoTests|skipTests|maven\.test\.skip|invert)$/.test(key))
    return value === "true" ? [value] : [];
  if (/^(?:norecursedirs|testpaths|python_files|python_functions|python_classes)$/.test(key)) {
    const more = /^[^\n]*(?:\n[ \t]+[^\n]+)*/.exec(text.slice(at, at + 1_000))?.[0] ?? "";
    return more.split(/\s+/).filter((each) => each !== "" && !NO_TESTS.test(each));
  }
  return value === "" || NO_TESTS.test(value) || /^(?:true|false|\{|\.\.\.)/.test(value)
    ? []
    : [value];
}
