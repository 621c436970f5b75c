import { CHECK_PROGRAMS, CHECK_WORDS, NON_CHECK_WORDS } from "../../activity/evidence/commands.ts";
import { baseName, isTestPath, languageOf } from "./languages.ts";
import { mask, squeezed } from "./source.ts";
import type { Sign } from "./tests.ts";
import type { FileChange } from "./warning.ts";

/** The command of a check, with the place that defines it. */
interface Step {
  /** `script test`, `target check`, or the file of a CI step. */
  readonly owner: string;
  readonly command: string;
  readonly line: number;
  /** Whether the owner is a check; otherwise the command must look like one. */
  readonly isCheck: boolean;
}

type Kind = "package" | "make" | "ci" | "shell" | "config";

const CI =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.{1,200}\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab\/.{1,200}\.ya?ml|\.circleci\/config\.ya?ml|azure-pipelines\.ya?ml|\.travis\.yml|bitbucket-pipelines\.ya?ml|\.buildkite\/.{1,200}\.ya?ml|\.drone\.ya?ml|\.woodpecker.{0,200}\.ya?ml|appveyor\.yml|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|Taskfile\.ya?ml|Jenkinsfile|action\.ya?ml)$/i;
const CONFIG =
  /^(?:tox\.ini|setup\.cfg|pytest\.ini|\.?coveragerc|pyproject\.toml|noxfile\.py|conftest\.py|Cargo\.toml|nextest\.toml|pom\.xml|build\.gradle(?:\.kts)?|phpunit\.xml(?:\.dist)?|\.rspec|\.nycrc(?:\.json|\.ya?ml)?|\.c8rc(?:\.json)?|\.mocharc\.\w+|\.?codecov\.ya?ml|karma\.conf\.\w+|stryker\.conf\.\w+|deno\.jsonc?|bunfig\.toml|angular\.json|(?:jest|vitest|vite|playwright|cypress|ava|wdio|stryker|web-test-runner)(?:\.\w+)?\.config\.\w+|vitest\.workspace\.\w+|\.taprc|sonar-project\.properties|golangci\.ya?ml|\.golangci\.ya?ml|\.simplecov)$/i;

function kindOf(path: string): Kind | undefined {
  const base = baseName(path);
  if (base === "package.json" || base === "composer.json") return "package";
  if (/^(?:GNUm|M|m)akefile$|\.mk$|^\.?justfile$/i.test(base)) return "make";
  if (CI.test(path) || /^(?:Jenkinsfile|Taskfile\.ya?ml)$/.test(base)) return "ci";
  if (CONFIG.test(base)) return "config";
  if (/(?:^|\/)\.(?:husky|githooks)\//.test(path) || languageOf(path) === "sh") return "shell";
  return undefined;
}

/** Whether a file can define what a check runs. */
export function isCheckFile(path: string): boolean {
  return kindOf(path) !== undefined;
}

/** Changed check scripts, excluded tests, lowered thresholds and ignored exit codes. */
export function scriptSigns(changes: readonly FileChange[]): readonly Sign[] {
  const relevant = changes.filter(({ before, after }) => before !== after);
  const steps = (side: "before" | "after") =>
    relevant.map((change) => ({ change, steps: stepsOf(change.path, change[side]) }));
  const before = steps("before");
  const after = steps("after");
  const kept = new Map<string, number>();
  for (const { command } of after.flatMap(({ steps: all }) => all))
    kept.set(command, (kept.get(command) ?? 0) + 1);
  const ignored = relevant.flatMap((change) => ignoredCodes(change));
  const isIgnored = new Set(ignored.map(({ file, line }) => `${file}:${line}`));
  const changed = before.flatMap(({ change, steps: all }, index) =>
    changedSteps(change.path, all, after[index]?.steps ?? [], kept, change.after),
  );
  const config = [...excludedTests(relevant), ...loweredThresholds(relevant)];
  const specific = new Set([...isIgnored, ...config.map(({ file, line }) => `${file}:${line}`)]);
  return [
    ...changed.filter(({ file, line }) => line === null || !specific.has(`${file}:${line}`)),
    ...config,
    ...ignored,
  ];
}

/** Whether the name of a script or target is that of a check, as in `test:unit` and `lint`. */
function isCheckName(name: string): boolean {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/^(?:pre|post)(?=test|build|lint)/, ""));
  return (
    words.some((word) => CHECK_WORDS.has(word)) && !words.some((word) => NON_CHECK_WORDS.has(word))
  );
}

const RUNS_CHECK = new RegExp(
  String.raw`(?<![\w./-])(?:${[...CHECK_PROGRAMS]
    .filter((program) => program.length > 2 && program !== "standard" && program !== "pest")
    .map((program) => program.replaceAll(".", "\\."))
    .join(
      "|",
    )})(?![\w./-]*[:=])|(?:^|[\s/&;|(])(?:(?:npm|pnpm|yarn|bun|cargo|go|make|just|deno|gradlew?|mvnw?|dotnet|swift|mix|rake|task|turbo|nx|composer|sbt|bazel|zig|dart|flutter)\s(?:[^&|;\n]{0,60}?\s)?(?:run\s)?[\w:-]{0,20}(?:tests?|check|lint|verify|clippy|vet|build|ci|typecheck|e2e)\b|python3?\s-m\s(?:unittest|pytest|doctest)|node\s(?:[^&|;\n]{0,60}\s)?--test\b|(?:\./|sh |bash |python3? |node )[\w./-]{0,80}(?:test|check|lint|verify)[\w.-]{0,40})`,
);

/** Whether a command line runs a check. */
function runsCheck(command: string): boolean {
  return RUNS_CHECK.test(command.slice(0, 2_000));
}

const MAX_CONFIG = 400_000;
const MAX_SIGNS = 100;

function stepsOf(path: string, text: string | null): readonly Step[] {
  const kind = kindOf(path);
  if (text === null || kind === undefined || text.length > MAX_CONFIG) return [];
  if (kind === "package") return packageSteps(text);
  if (kind === "make") return makeSteps(text);
  if (kind === "ci") return ciSteps(path, text);
  if (kind === "shell")
    return isTestPath(path) && !isCheckName(baseName(path)) ? [] : shellSteps(path, text);
  return configSteps(path, text);
}

function packageSteps(text: string): readonly Step[] {
  const scripts = scriptsOf(text);
  const lines = text.split("\n");
  return Object.entries(scripts).flatMap(([name, command]) => {
    if (!isCheckName(name)) return [];
    const key = `${JSON.stringify(name)}`;
    const line = lines.findIndex((each) => each.includes(key) && /:\s*["[]/.test(each)) + 1;
    return [{ owner: `script ${name}`, command: squeezed(command), line, isCheck: true }];
  });
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    if (typeof scripts !== "object" || scripts === null) return {};
    return Object.fromEntries(
      Object.entries(scripts).flatMap(([name, command]) =>
        typeof command === "string"
          ? [[name, command]]
          : Array.isArray(command)
            ? [[name, command.join(" && ")]]
            : [],
      ),
    );
  } catch {
    return scriptLines(text);
  }
}

const SCRIPT_LINE = /^\s*"([\w:.-]{1,100})"\s*:\s*"((?:[^"\\]|\\.){1,1000})"\s*,?\s*$/gm;

/** The scripts of a part of a package file. Versions and paths of other settings are no commands. */
function scriptLines(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...firstOf(text, SCRIPT_LINE)].flatMap(([, name = "", value = ""]) =>
      /^[\^~<>=*\d]|^[\w./*@-]*[./][\w./*-]+$/.test(value)
        ? []
        : [[name, value.replaceAll('\\"', '"')]],
    ),
  );
}

const TARGET = /^@?([\w./%-]+(?: +[\w./%-]+){0,8})(?: +[^:=\n]{0,80})?\s*::?(?!=)([^=\n]*)$/;

/** Recipes of check targets, with the variables that they use expanded once. */
function makeSteps(text: string): readonly Step[] {
  const steps: Step[] = [];
  const variables = new Map<string, string>();
  let names: readonly string[] | undefined;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/(?:^|\s)#.*$/, "").trimEnd();
    if (line.trim() === "") continue;
    const assignment = /^(?:export )?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$/.exec(line);
    if (assignment) {
      variables.set(assignment[1] ?? "", assignment[2] ?? "");
      continue;
    }
    if (/^\s/.test(line)) {
      const command = squeezed(line).replace(/^@/, "");
      for (const name of names ?? [])
        if (isCheckName(name))
          steps.push({ owner: `target ${name}`, command, line: index + 1, isCheck: true });
      // A part of a file may start inside a recipe.
      if (names === undefined && runsCheck(command))
        steps.push({ owner: "", command, line: index + 1, isCheck: false });
      continue;
    }
    const target = TARGET.exec(line);
    names = target && !line.startsWith(".") ? (target[1] ?? "").split(/\s+/) : [];
    const needed = squeezed(target?.[2] ?? "");
    for (const name of names)
      if (isCheckName(name) && needed !== "")
        for (const dependency of needed.split(" "))
          steps.push({
            owner: `target ${name}`,
            command: `: ${dependency}`,
            line: index + 1,
            isCheck: true,
          });
  }
  return steps.map((step) => ({
    ...step,
    command: step.command.replace(
      /\$[({](\w+)[)}]/g,
      (whole, name: string) => variables.get(name) ?? whole,
    ),
  }));
}

/** Commands of a CI file that run checks. Their job and order do not matter. */
function ciSteps(path: string, text: string): readonly Step[] {
  return text.split("\n").flatMap((raw, index) => {
    const line = squeezed(raw.replace(/(?:^|\s)#.*$/, ""));
    const command = line
      .replace(
        /^(?:- )?(?:(?:run|script|command|entry|sh|cmds?)\s*:?\s*)?(?:[|>][+-]?\s*)?(?:- )?/,
        "",
      )
      .replace(/^["']|["']$/g, "");
    if (
      /^(?:name|uses|if|on|id|key|image|stage|needs|with)\s*:/.test(command) ||
      !runsCheck(command)
    )
      return [];
    return [{ owner: path, command, line: index + 1, isCheck: false }];
  });
}

function shellSteps(path: string, text: string): readonly Step[] {
  const owner = isCheckName(baseName(path).replace(/\.\w+$/, ""));
  return text.split("\n").flatMap((raw, index) => {
    const command = squeezed(raw.replace(/(?:^|\s)#.*$/, ""));
    if (command === "" || !runsCheck(command)) return [];
    return [{ owner: path, command, line: index + 1, isCheck: owner }];
  });
}

function configSteps(path: string, text: string): readonly Step[] {
  const base = baseName(path);
  if (base === "noxfile.py")
    return text.split("\n").flatMap((raw, index) => {
      const command = squeezed(raw);
      return /\bsession\.run\(/.test(command) && runsCheck(command.replace(/["',()]/g, " "))
        ? [{ owner: path, command, line: index + 1, isCheck: true }]
        : [];
    });
  if (base !== "tox.ini" && base !== "setup.cfg") return [];
  let inCommands = false;
  return text.split("\n").flatMap((raw, index) => {
    const key = /^(\w+)\s*=\s*(.*)$/.exec(raw);
    if (key) inCommands = key[1] === "commands";
    else if (/^\S/.test(raw)) inCommands = false;
    const command = squeezed(key ? (key[2] ?? "") : raw);
    return inCommands && command !== "" && !command.startsWith("#")
      ? [{ owner: path, command, line: index + 1, isCheck: true }]
      : [];
  });
}

/** Steps that are gone or differ. Ignores steps that now do more and steps that moved to another file. */
function changedSteps(
  path: string,
  before: readonly Step[],
  after: readonly Step[],
  kept: Map<string, number>,
  text: string | null,
): readonly Sign[] {
  const signs: Sign[] = [];
  const reported = new Set<string>();
  const own = new Set(after.map(({ owner, command }) => `${owner}\n${command}`));
  const were = new Set(before.map(({ owner, command }) => `${owner}\n${command}`));
  for (const step of before) {
    const { owner, command } = step;
    if (own.has(`${owner}\n${command}`) || reported.has(owner)) continue;
    const fresh = after.filter(
      (each) => each.owner === owner && !were.has(`${owner}\n${each.command}`),
    );
    if (fresh.some((each) => extendsCommand(each.command, command))) continue;
    const stays = after.some((each) => each.owner === owner);
    // Moved to another script or file; a target that stays and lost a command is still a sign.
    if ((kept.get(command) ?? 0) > 0 && (!stays || !step.isCheck)) continue;
    const now = fresh[0] ?? after.find((each) => each.owner === owner);
    if (step.isCheck) reported.add(owner);
    signs.push({
      kind: "check_changed",
      file: path,
      line: text === null ? null : (now?.line ?? null),
      ...(now && text !== null ? {} : { text: command }),
    });
  }
  return signs;
}

/** Whether a command runs the former one and something else, and fails if either fails. */
function extendsCommand(now: string, was: string): boolean {
  if (ignoresCode(now)) return false;
  const parts = now.split(/\s*&&\s*/);
  const wanted = was.split(/\s*&&\s*/);
  return parts.length > wanted.length && wanted.every((part) => parts.includes(part));
}

const IGNORES =
  /\|\| *(?:true|:|exit 0|echo\b|\/bin\/true|printf\b|return 0)(?=$|[\s;"'&|)])|; *(?:exit 0|true|:)(?=$|[\s;"'&)])|\s--exit-zero\b|\s--(?:pass-?with-?no-?tests)\b/i;
const IGNORES_ALL =
  /^(?:set \+(?:e|o (?:errexit|pipefail))\b|trap ["']?exit 0|\.IGNORE:|MAKEFLAGS *[+:]?= *.{0,20}(?:-i|--ignore-errors))/;
const IGNORES_IN_CONFIG =
  /^(?:- )?(?:continue-on-error: *(?!false)\S|allow_failure: *true|ignore_outcome *= *true|ignore_errors *= *true|failOnError *= *false|ignoreFailures *= *true|<testFailureIgnore>true|continueOnError: *true|soft_fail: *true|fail_ci_if_error: *false|ignore_error: *true)/i;
/** Commands whose failure may be ignored: they clean up or look for something. */
const HARMLESS =
  /^(?:-|@)*(?:sudo )?(?:rm|rmdir|mkdir|kill|pkill|killall|docker|podman|cd|cp|mv|wait|unlink|command -v|which|type|git|brew|apt(?:-get)?|echo|printf|export|source|\.|umount|chmod|ln|touch|read|sleep|curl|wget|test -[efdn]|\[ -[efdnz]|npm (?:i|ci|install)|pip3? install|dropdb|createdb|systemctl|trap|ulimit|helm|kubectl)\b/;

function ignoresCode(command: string): boolean {
  return IGNORES.test(command) || IGNORES_ALL.test(command) || /^@?-(?=[\w./])/.test(command);
}

/** The command whose exit code is replaced: what is left of `||` or `;`. */
function ignoredCommand(command: string): string {
  const at = IGNORES.exec(command)?.index ?? 0;
  const before = command.slice(0, at).trim();
  const last = before.slice(0, 2_000).split(/;|&&/).at(-1)?.trim();
  return last || before;
}

const EXITS_ZERO =
  /(?<![\w.])(?:process\.exit\s*\(\s*0\s*\)|process\.exitCode\s*=\s*0\b|sys\.exit\s*\(\s*0?\s*\)|os\._exit\s*\(\s*0\s*\)|os\.Exit\s*\(\s*0\s*\)|(?:std::)?process::exit\s*\(\s*0\s*\)|System\.exit\s*\(\s*0\s*\))/;
const SETS_STATUS = /\b(?:session\.)?exitstatus\s*=\s*(?:0|pytest\.ExitCode\.OK)\b/;

function ignoredCodes({ path, before, after }: FileChange): readonly Sign[] {
  if (after === null || after.length > MAX_CONFIG) return [];
  const kind = kindOf(path);
  const language = languageOf(path);
  const isCode = language !== undefined && language !== "sh";
  const isRunner =
    isCode && (isTestPath(path) || /conftest|(?:test|check|lint|verify)/i.test(baseName(path)));
  if (kind === undefined && !isRunner) return [];
  const linesOf = (text: string) =>
    (isCode && language ? mask(text, language).code : text).split("\n");
  const former = linesOf(before ?? "");
  const isKnown = knownLines(former);
  const signs: Sign[] = [];
  const owners = kind === "make" ? targetsByLine(after) : [];
  const usesErrexit = /^\s*set -\w*e/m.test(before ?? "");
  for (const [index, raw] of linesOf(after).entries()) {
    if (raw.trim() === "" || isKnown(raw)) continue;
    const line = squeezed(raw);
    const isSign =
      isCode && kind !== "config"
        ? isRunner && (EXITS_ZERO.test(line) || SETS_STATUS.test(line))
        : isCode
          ? SETS_STATUS.test(line) ||
            EXITS_ZERO.test(line) ||
            /success_codes *= *\[[^\]]*[1-9]/.test(line)
          : isIgnoredLine(line, kind ?? "config", owners[index], path, usesErrexit);
    // Only the indentation may differ.
    if (isSign && !former.some((each) => squeezed(each) === line))
      signs.push({ kind: "exit_code_ignored", file: path, line: index + 1 });
    if (signs.length === MAX_SIGNS) break;
  }
  // A script that no longer stops at a failure.
  if (kind === "shell" && usesErrexit && signs.length === 0 && !/^\s*set -\w*e/m.test(after))
    signs.push({ kind: "exit_code_ignored", file: path, line: null, text: "set -e" });
  return signs;
}

/** Finds each line as often as it is among the given ones. */
function knownLines(lines: readonly string[]): (line: string) => boolean {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return (line) => {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    return left > 0;
  };
}

function isIgnoredLine(
  raw: string,
  kind: Kind,
  target: string | undefined,
  path: string,
  usesErrexit: boolean,
): boolean {
  const line = raw.replace(/(?:^|\s)#(?!!).*$/, "").trim();
  if (line === "") return false;
  if (IGNORES_IN_CONFIG.test(line)) return kind === "ci" || kind === "config";
  if (kind === "package") {
    const script = /^"([^"]{1,100})": *"(.*)",?$/.exec(line);
    if (!script) return false;
    const command = (script[2] ?? "").replaceAll('\\"', '"');
    return (
      isCheckName(script[1] ?? "") &&
      IGNORES.test(command) &&
      !HARMLESS.test(ignoredCommand(command))
    );
  }
  const command = line.replace(/^(?:- )?(?:run|script|command): */, "").replace(/^- /, "");
  const inCheck =
    kind === "make"
      ? isCheckName(target ?? "")
      : kind === "shell" && (isTestPath(path) || isCheckName(baseName(path)));
  if (IGNORES_ALL.test(command))
    return kind !== "shell" || inCheck || usesErrexit || runsCheck(command);
  if (kind === "make" && inCheck && /^@?-(?=[\w./$])/.test(line))
    return !HARMLESS.test(line.replace(/^@?-/, ""));
  if (kind === "config" && /^- (?=\w)/.test(line)) return /tox\.ini$/.test(path) && runsCheck(line);
  if (!IGNORES.test(command)) return false;
  const ignored = ignoredCommand(command);
  return (
    runsCheck(ignored) ||
    (inCheck && !HARMLESS.test(ignored)) ||
    (/--(?:exit-zero|pass-?with-?no-?tests)/i.test(command) && runsCheck(command))
  );
}

function targetsByLine(text: string): readonly (string | undefined)[] {
  let target: string | undefined;
  return text.split("\n").map((line) => {
    if (/^\S/.test(line))
      target = TARGET.exec(line)?.[1] ?? (line.startsWith("#") ? target : undefined);
    return target;
  });
}

const EXCLUDE_KEY =
  /(?<![\w-])(testPathIgnorePatterns|modulePathIgnorePatterns|testIgnore|exclude|ignore|ignores|excludes|collect_ignore(?:_glob)?|norecursedirs|excludedGroups|skipTests|maven\.test\.skip|spec_exclude|autotests|harness|test|testNamePattern|testRegex|grepInvert|grep|invert|passWithNoTests|doctest|default-filter)["']?\s*(?:\+?=|:|>)\s*/g;
const INCLUDE_KEY =
  /(?<![\w-])(testMatch|include|testpaths|spec|specs|testDir|python_files|python_functions|python_classes|roots|files|testRegex)["']?\s*(?:=|:)\s*/g;
const EXCLUDE_OPTION =
  /\s?(?:--ignore(?:-glob)?[= ]|--deselect[= ]|-k ?["']?not |-m ?["']?not |--testPathIgnorePatterns[= ]|--exclude[= ]|-t ["']|--skip[= ]|-skip[= ]|-DskipTests|--grep[= ]|--invert\b|-run[= ]|--testNamePattern[= ]|--passWithNoTests|--filter[= ]|-x test\b)[^\n]{0,160}/g;
/** Folders that hold no tests of the project. */
const NO_TESTS =
  /^[*./\\^]*(?:node_modules|dist|build|coverage|\.?venv|vendor|target|out|tmp|temp|\.cache|\.git|\.next|\.tox|\.nox|__pycache__|\.turbo|lib|es|cjs|esm|\.idea|\.yarn|bower_components|site-packages|\.eggs|\.mypy_cache|\.direnv|generated|fixtures)\b[*./\\$]*$/;

function excludedTests(changes: readonly FileChange[]): readonly Sign[] {
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
  const stem = (glob: string) => glob.replace(/[*?{}()[\]|,!+@]+.*$/, "");
  return (
    was.startsWith(stem(now)) &&
    stem(now).length < was.length &&
    /[*]|\/$|^[\w./-]+$/.test(now) &&
    stem(now).length <= stem(was).length
  );
}

/** More settings than a real file has are not compared. */
const MAX_SETTINGS = 400;

function* firstOf(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if (count++ >= MAX_SETTINGS) return;
    yield match;
  }
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
        : runsCheck(line) || /"[\w:-]*(?:test|check|lint)[\w:-]*"\s*:/.test(line);
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

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line++;
  return line;
}

const MINIMUM =
  /(?<![\w])(branches|functions|lines|statements|fail_under|fail-under|cov-fail-under|fail-under-lines|fail-under-regions|minimum_coverage|min_coverage|minCoverage|minimum|threshold|thresholds|target|coverage_threshold|covdir|break|min-score|mutation_threshold|perFile)["']?\s*(?:[:=>]\s*|\s+)["']?(-?\d+(?:\.\d+)?)%?/g;
const MAXIMUM =
  /(?<![\w])(max-warnings|maxWarnings|max-complexity|max_complexity|max-failures|maxfail)["']?\s*(?:[:=]\s*|\s+)["']?(\d+)/g;

interface Threshold {
  readonly key: string;
  readonly value: number;
  readonly offset: number;
  readonly file: string;
}

function loweredThresholds(changes: readonly FileChange[]): readonly Sign[] {
  const signs: Sign[] = [];
  const all = (side: "before" | "after") =>
    changes.flatMap((change) => thresholdsOf(change.path, change[side]).map((each) => each));
  const now = all("after");
  for (const { path, before, after } of changes) {
    const own = now.filter(({ file }) => file === path);
    const seen = new Map<string, number>();
    for (const known of thresholdsOf(path, before)) {
      const index = seen.get(known.key) ?? 0;
      seen.set(known.key, index + 1);
      const same = own.filter(({ key }) => key === known.key)[index];
      if (
        same
          ? same.value >= known.value
          : now.some(
              ({ key, value, file }) => key === known.key && file !== path && value >= known.value,
            )
      )
        continue;
      signs.push({
        kind: "threshold_lowered",
        file: path,
        line: same && after !== null ? lineOf(after, same.offset) : null,
        text: `${known.key.replace(/^-/, "")} ${Math.abs(known.value)}`,
      });
    }
  }
  // One change of settings often has four numbers.
  return signs.slice(0, 4);
}

function thresholdsOf(path: string, text: string | null): readonly Threshold[] {
  const kind = kindOf(path);
  if (text === null || kind === undefined || text.length > MAX_CONFIG) return [];
  const language = languageOf(path);
  const plain = language
    ? mask(text, language).plain
    : text.replace(/(?<=^|\s)#(?!!)[^\n]*/gm, (comment) => " ".repeat(comment.length));
  const found: Threshold[] = [];
  for (const match of firstOf(plain, MINIMUM)) {
    if (
      /^(?:target|minimum|threshold|break|lines|functions)$/.test(match[1] ?? "") &&
      !/cov|nyc|c8|stryker|mutation|threshold|jest|vitest|simplecov|jacoco/i.test(
        `${path} ${plain.slice(Math.max(0, match.index - 400), match.index)}`,
      )
    )
      continue;
    // Codecov's threshold is how far coverage may fall.
    const isAllowance = match[1] === "threshold" && /codecov/.test(path);
    found.push({
      key: `${isAllowance ? "-" : ""}${match[1]}`,
      value: Number(match[2]) * (isAllowance ? -1 : 1),
      offset: match.index,
      file: path,
    });
  }
  for (const match of firstOf(plain, MAXIMUM))
    found.push({ key: `-${match[1]}`, value: -Number(match[2]), offset: match.index, file: path });
  return found;
}
