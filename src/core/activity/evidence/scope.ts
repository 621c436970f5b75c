import { CHECK_PROGRAMS, CHECK_WORDS } from "./commands.ts";

/** The part of a project that a check covers, as far as its command says so. */
export interface CheckScope {
  /** The directory that it runs in, relative to the former one or absolute. */
  readonly directory?: string;
  /** Words of the files and filters that it names. */
  readonly words?: readonly string[];
}

const MAX_WORDS = 12;
const MAX_PATHS = 40;
/** Words that say nothing about the tested code. */
const COMMON = new Set(
  `all app apps spec specs test tests testing unit integration e2e src lib libs index main mod packages package
  scripts script run runner check checks suite js ts jsx tsx mjs cjs mts cts py go rs rb php sh java kt cs conftest
  internal cmd pkg core utils util common server client api`.split(/\s+/),
);
/** Words in the name of a script that say how it runs, or what kind of check it is, not what it covers. */
const MODES = new Set(
  `affected async audit base browser bun cache changed chrome chromium cjs clean cov coverage cover debug default
  deno dependency deps docker e2e end esm everything fast firefox fmt format formatting full func functional go
  headless isolated js junit license linux local long macos memory mode mutation node no only parallel perf prod
  production python quick quiet race regression release report root run rust security sequential serial short
  silent single slow snapshot spell spelling spellcheck staged strict style system type verbose webkit windows
  with without workspace ts`.split(/\s+/),
);
const FILTERS =
  /^(?:-k|-run|--run|-t|--grep|-g|--filter|--testNamePattern|--testPathPattern|--tests)$/;
const TEST_FILE =
  /(?:^|[/._-])(?:tests?|specs?)(?:[/._-]|$).*\.\w{1,5}(?:::[\w:]+)?$|\.(?:test|spec)\.\w+$/i;
const MODULE = /^tests?(?:\.\w+)+$/;
/** Directories that hold results, or tests of everything. */
const ANYWHERE =
  /^(?:\.{1,2}(?:\/.*)?|[~$-].*|build\w*|cmake-build.*|_build|dist|out|target|tests?|e2e|spec)\/?$/;

/** The words of a text: of a path, a name in camel case or a filter. */
function wordsOf(text: string): readonly string[] {
  const words = text
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => word.length > 1 && !COMMON.has(word));
}

/** The words of a script's name that say what it covers: `slug` of `test:slug`, none of `test:unit`. */
function scriptWords(name: string): readonly string[] {
  const isGeneral = (word: string) =>
    MODES.has(word) || COMMON.has(word) || CHECK_WORDS.has(word) || CHECK_PROGRAMS.has(word);
  return wordsOf(name).filter(
    (word) =>
      !isGeneral(word) &&
      !isGeneral(word.replace(/(?<=\w{3})s$/, "")) &&
      !/^[a-z]{0,8}\d+$/.test(word),
  );
}

/**
 * The scope of a check, from its words and the directory that the line changed to before.
 *
 * @param scripts names of the scripts or targets that it runs. One of them that covers everything outweighs
 *   the others.
 */
export function scopeOf(
  words: readonly string[],
  directory: string | undefined,
  scripts: readonly string[] = [],
): CheckScope {
  const named = words.filter((word, index) => {
    const option = words[index - 1] ?? "";
    if (FILTERS.test(option)) return true;
    if (word.startsWith("-")) return false;
    const isCargo = words[0] === "cargo" && words[1] === "test" && index === 2;
    return TEST_FILE.test(word) || MODULE.test(word) || isCargo;
  });
  const covered = scripts.map(scriptWords);
  const ofScripts = covered.every((each) => each.length > 0) ? covered.flat() : [];
  const found = [...new Set([...named.flatMap(wordsOf), ...ofScripts])].slice(0, MAX_WORDS);
  return {
    ...(directory !== undefined && !ANYWHERE.test(directory) && { directory }),
    ...(found.length > 0 && { words: found }),
  };
}

/**
 * Whether a check can cover one of the edited files: it runs in a directory above it, and names something
 * that the path has in common with it. Unknown files may be covered.
 */
export function covers({ directory, words }: CheckScope, edited: readonly string[]): boolean {
  if (edited.length === 0 || edited.includes(UNKNOWN_FILE)) return true;
  return edited.some((path) => {
    if (directory !== undefined && !isBelow(path, directory)) return false;
    return words === undefined || wordsOf(path).some((word) => words.includes(word));
  });
}

function isBelow(path: string, directory: string): boolean {
  const folder = directory.replace(/(?<!\/)\/+$/, "");
  // The directory that a relative path starts from is unknown.
  if (!path.startsWith("/")) return true;
  return folder.startsWith("/") ? path.startsWith(`${folder}/`) : path.includes(`/${folder}/`);
}

/** An edit of files that the call does not name. */
const UNKNOWN_FILE = "*";

/** The edited files after one more edit, the most recent last. */
export function editedAfter(
  known: readonly string[] | undefined,
  paths: readonly string[] = [UNKNOWN_FILE],
  cwd?: string,
): readonly string[] {
  const isRelative = (path: string) => path !== UNKNOWN_FILE && !path.startsWith("/");
  const own = paths.map((path) =>
    cwd !== undefined && isRelative(path) ? `${cwd}/${path}` : path,
  );
  const others = (known ?? []).filter((path) => !own.includes(path));
  return [...others, ...own].slice(-MAX_PATHS);
}
