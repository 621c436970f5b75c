/**
 * core/activity/evidence: which tool calls edit files, which are checks (tests, builds, linters), and
 * whether a check passed. `shell` parses command lines, `commands` knows the programs,
 * `runner-summary` and `exit-code` read results. A completion is verified only by what this folder
 * recognizes.
 */
import { oneLine } from "../../text/escape.ts";
import {
  BARE_SCRIPTS,
  CHECK_PROGRAMS,
  CHECK_WORDS,
  CONTAINER_OPTIONS_WITH_VALUE,
  CONTAINERS,
  EDIT_COMMANDS,
  EDIT_TOOLS,
  FORMATTERS,
  GRADLE_TASK,
  INTERPRETERS,
  NON_CHECK_OPTIONS,
  NON_CHECK_WORDS,
  OPTIONS_WITH_VALUE,
  PACKAGE_MANAGERS,
  PACKAGE_TOOLS,
  READ_ONLY_COMMANDS,
  RUNNERS,
  SHELLS,
  SUBCOMMANDS,
  TASK_RUNNERS,
  WATCH_WITH_W,
  WRAPPERS,
  WRITE_OPTIONS,
} from "./commands.ts";
import { type CheckScope, scopeOf } from "./scope.ts";
import { type SimpleCommand, simpleCommands } from "./shell.ts";
import { updatesResults } from "./updates.ts";

/** The effect of a call on evidence. */
export interface Effect {
  readonly edits?: true;
  /** The command, if it is a check: its success can verify completions. */
  readonly check?: string;
  /** The part of the project that the check covers, if the command limits it. */
  readonly scope?: CheckScope;
}

/** Additional checks and edit tools, from a policy. */
export interface EvidenceTable {
  /** Prefixes of commands, matched by whole words. */
  readonly checks: readonly string[];
  /** Names of tools. */
  readonly edits: readonly string[];
}

const MAX_COMMAND = 4_000;
const MAX_SHOWN = 200;
const MAX_NESTED = 3;

/** Classifies a call by its name and input. */
export function effectOf(
  name: string,
  input: unknown,
  { checks = [], edits = [] }: Partial<EvidenceTable> = {},
): Effect {
  const given = typeof input === "object" && input !== null ? (input as Fields) : {};
  const bare = name.slice(name.lastIndexOf("__") === -1 ? 0 : name.lastIndexOf("__") + 2);
  if (edits.includes(name) || EDIT_TOOLS.has(bare.toLowerCase().replaceAll("-", "_")))
    return typeof given.command === "string" && READ_ONLY_COMMANDS.has(given.command)
      ? {}
      : { edits: true };
  const command = commandOf(given);
  if (command === undefined) return {};
  const effect = lineEffect(command.slice(0, MAX_COMMAND), checks, 0);
  const later = given.run_in_background === true || given.is_background === true;
  // The part that was cut off may replace the exit code.
  if (later || command.length > MAX_COMMAND) return effect.edits ? { edits: true } : {};
  return effect;
}

type Fields = Readonly<Record<string, unknown>>;

function commandOf({ command, cmd }: Fields): string | undefined {
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  if (!Array.isArray(given)) return undefined;
  const words = given.filter((word): word is string => typeof word === "string");
  return words.map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function lineEffect(line: string, checks: readonly string[], depth: number): Effect {
  let edits = false;
  let check: string | undefined;
  let scope: CheckScope = {};
  let directory: string | undefined;
  for (const command of simpleCommands(line)) {
    const [program, argument] = command.words;
    if (program === "cd" && argument !== undefined)
      directory = directory === undefined ? argument : join(directory, argument);
    const effect = commandEffect(command, checks, depth);
    if (effect.edits) {
      edits = true;
      check = undefined;
    }
    if (effect.check === undefined || !command.decisive) continue;
    // A complete check outweighs a limited one.
    const isFirst = check === undefined;
    check = effect.check;
    const words = withoutWrappers(command.words);
    const own = effect.scope ?? scopeOf(words, directory, scriptsOf(withoutRunners(words)));
    scope = isFirst || Object.keys(own).length < Object.keys(scope).length ? own : scope;
  }
  const isLimited = check !== undefined && Object.keys(scope).length > 0;
  return {
    ...(edits && { edits }),
    ...(check !== undefined && { check }),
    ...(isLimited && { scope }),
  };
}

function join(directory: string, next: string): string {
  return next.startsWith("/") ? next : `${directory}/${next}`;
}

function commandEffect(
  { words, writes }: SimpleCommand,
  checks: readonly string[],
  depth: number,
): Effect {
  const shown = withoutWrappers(words);
  const inner = innerLine(shown);
  if (inner !== undefined) return depth < MAX_NESTED ? lineEffect(inner, checks, depth + 1) : {};
  if (updatesResults(words)) return { edits: true };
  const run = withoutRunners(shown);
  if (isCheck(run, shown, checks)) return { check: oneLine(shown.join(" ")).slice(0, MAX_SHOWN) };
  return isEdit(run) || writes.some(isProjectFile) ? { edits: true } : {};
}

/** Removes assignments and wrappers such as `sudo`, `env` and `timeout`. */
function withoutWrappers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let turn = 0; turn < 8; turn++) {
    const [first = ""] = rest;
    if (/^[A-Za-z_]\w*\+?=/.test(first)) rest = rest.slice(1);
    else if (WRAPPERS.has(programOf(first))) {
      rest = withoutOptions(rest.slice(1));
      // The duration of a timeout.
      if (/^\d+(?:\.\d+)?[smhd]?$/.test(rest[0] ?? "")) rest = rest.slice(1);
    } else return rest;
  }
  return rest;
}

function withoutOptions(words: readonly string[]): readonly string[] {
  let at = 0;
  while (words[at]?.startsWith("-")) at += OPTIONS_WITH_VALUE.test(words[at] ?? "") ? 2 : 1;
  return words.slice(at);
}

/** Looks up own properties only: a program may be called `constructor`. */
function entryOf<T>(table: Readonly<Record<string, T>>, program: string): T | undefined {
  return Object.hasOwn(table, program) ? table[program] : undefined;
}

function programOf(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  const bare = base.replace(/\.(?:exe|cmd|bat)$/i, "");
  if (bare === "gradlew" || bare === "mvnw") return bare.slice(0, -1);
  return /^python3(?:\.\d+)?$/.test(bare) ? "python3" : bare;
}

/** The argument of `sh -c`. */
function innerLine(words: readonly string[]): string | undefined {
  if (!SHELLS.has(programOf(words[0] ?? ""))) return undefined;
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return option === -1 ? undefined : words[option + 1];
}

function withoutRunner(words: readonly string[]): readonly string[] {
  const [first = "", ...given] = words;
  const program = programOf(first);
  if (CONTAINERS.has(program)) return inContainer(given) ?? words;
  const named = withoutOptions(given);
  // `yarn vitest` runs the program of a dependency as `yarn exec vitest` does.
  if (BARE_SCRIPTS.has(program) && isChecker(programOf(named[0] ?? ""))) return named;
  const between = entryOf(RUNNERS, program);
  if (!between) return words;
  const rest = between[0] === "-m" ? fromModule(words) : withoutOptions(words.slice(1));
  for (const word of between) {
    if (word === "" && rest.length > 0) return rest;
    if (rest[0] !== word) continue;
    const command = withoutOptions(rest.slice(1));
    return command[0] === "--" ? command.slice(1) : command;
  }
  return words;
}

function isChecker(program: string): boolean {
  return CHECK_PROGRAMS.has(program) || FORMATTERS.test(program) || PACKAGE_TOOLS.has(program);
}

/** The command of `docker compose run SERVICE …` and `docker exec CONTAINER …`; none if it is detached. */
function inContainer(words: readonly string[]): readonly string[] | undefined {
  const at = words.findIndex((word) => word === "run" || word === "exec");
  if (at === -1) return undefined;
  let rest = words.slice(at + 1);
  while (rest[0]?.startsWith("-")) {
    const [option = ""] = rest;
    if (option === "--detach" || /^-[a-z]*d/.test(option)) return undefined;
    rest = rest.slice(CONTAINER_OPTIONS_WITH_VALUE.test(option) ? 2 : 1);
  }
  return rest.length > 1 ? rest.slice(1) : undefined;
}

function fromModule(words: readonly string[]): readonly string[] {
  const option = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  const module = words.indexOf("-m");
  return module > 0 && module < option ? words.slice(module) : [];
}

/** Removes nested runners. */
function withoutRunners(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let turn = 0; turn < MAX_NESTED; turn++) {
    const inner = withoutWrappers(withoutRunner(rest));
    if (inner.length === rest.length) return rest;
    rest = inner;
  }
  return rest;
}

function isCheck(
  words: readonly string[],
  shown: readonly string[],
  checks: readonly string[],
): boolean {
  const command = shown.join(" ");
  if (checks.some((check) => command === check || command.startsWith(`${check} `))) return true;
  const [first = "", ...args] = words;
  const program = programOf(first);
  if (FORMATTERS.test(program))
    return args.some((arg) => /^(?:--check(?:-only)?|--list-different|--dry-run)$/.test(arg));
  if (program === "git" || args.some((arg) => NON_CHECK_OPTIONS.test(arg))) return false;
  if (WATCH_WITH_W.has(program) && args.includes("-w")) return false;
  // Arguments after "--" are for another program.
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (CHECK_PROGRAMS.has(program) || program === "unittest") return true;
  if (program === "cargo" && own.includes("fmt")) return args.includes("--check");
  if (program === "ruff" && own[0] === "format") return /--(?:check|diff)/.test(own.join(" "));
  if (program === "cmake") return own.includes("--build");
  if (INTERPRETERS.has(program)) return own.includes("--test") || runsTests(positional(own));
  return checksByName(program, positional(own), own) || isTestScript(first);
}

/** Whether the subcommand, script or target of a program is a check. */
function checksByName(program: string, named: readonly string[], own: readonly string[]): boolean {
  const [command = ""] = named;
  const run = named.findIndex((name) => /^(?:run|run-script|task|run-many|affected)$/.test(name));
  if (PACKAGE_MANAGERS.has(program) && run !== -1) return named.slice(run + 1).some(isScript);
  if (program === "npm") return /^(?:t|tst|test|it|cit)$/.test(command);
  if (program === "yarn" && command === "workspace") return isScript(named[2] ?? "");
  if (program === "mvn" || program === "sbt" || program === "mill")
    return named.some((name) => known(program, name.slice(name.lastIndexOf(":") + 1)));
  if (program === "gradle") return named.some((name) => GRADLE_TASK.test(name));
  if (TASK_RUNNERS.has(program))
    return (
      !own.includes("-n") && (named.some(isScript) || (program !== "rake" && named.length === 0))
    );
  if (BARE_SCRIPTS.has(program) && isScript(command)) return true;
  return known(program, command);
}

/** The scripts and targets that a command runs, as far as they are checks. */
function scriptsOf([first = "", ...args]: readonly string[]): readonly string[] {
  const program = programOf(first);
  if (!PACKAGE_MANAGERS.has(program) && !TASK_RUNNERS.has(program)) return [];
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return positional(own).filter(isScript);
}

/** `python manage.py test`, `node scripts/check.mjs`. */
function runsTests([script = "", command = ""]: readonly string[]): boolean {
  if (/(?:^|\/)manage\.py$/.test(script)) return command === "test" || command === "check";
  return isTestScript(script);
}

function known(program: string, command: string): boolean {
  return (entryOf(SUBCOMMANDS, program) ?? "").split(" ").includes(command) && command !== "";
}

function positional(args: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("-") || arg.startsWith("+")) at += OPTIONS_WITH_VALUE.test(arg) ? 1 : 0;
    else found.push(arg);
  }
  return found;
}

/** `lint:api` and `test-unit` are checks, `lint:fix` and `build:watch` are not. */
function isScript(name: string): boolean {
  const parts = name.toLowerCase().split(/[:_./-]/);
  return (
    parts.some((part) => CHECK_WORDS.has(part)) && !parts.some((part) => NON_CHECK_WORDS.has(part))
  );
}

const SCRIPT = /\.(?:sh|bash|py|[cm]?[jt]s|rb|ps1|php|pl)$/;

/** Whether a script of the project is a check by its name. */
function isTestScript(word: string): boolean {
  const inProject = word.includes("/") && !/^\/(?:usr\/)?s?bin\//.test(word);
  return (inProject || SCRIPT.test(word)) && isScript(programOf(word).replace(SCRIPT, ""));
}

function isEdit([first = "", ...args]: readonly string[]): boolean {
  const program = programOf(first);
  const rule = entryOf(EDIT_COMMANDS, program);
  if (program === "cp" || program === "rsync") return isNamedFile(args.at(-1) ?? "-");
  if (rule === true) return !["tee", "mv", "rm"].includes(program) || args.some(isNamedFile);
  if (rule?.test(positional(args)[0] ?? "")) return program !== "git" || !isNewBranch(args);
  if (
    args.some((arg) => WRITE_OPTIONS.test(arg)) &&
    (CHECK_PROGRAMS.has(program) || program === "biome")
  )
    return true;
  return rule !== undefined && args.some((arg) => arg.startsWith("-") && rule.test(arg));
}

function isNewBranch(args: readonly string[]): boolean {
  const [, second = ""] = positional(args);
  return args.includes("-b") || args.includes("-c") || second === "list" || second === "show";
}

function isNamedFile(arg: string): boolean {
  return !arg.startsWith("-") && isProjectFile(arg);
}

/** Devices and temporary directories are not part of the project. */
function isProjectFile(path: string): boolean {
  return !/^(?:\/dev\/|\/tmp\/|\/var\/tmp\/|\/private\/tmp\/|\$\{?TMPDIR|%TEMP%|&\d|NUL$)/i.test(
    path,
  );
}
