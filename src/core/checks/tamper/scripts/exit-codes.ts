import { baseName, isTestPath, languageOf } from "../languages.ts";
import type { Sign } from "../signs.ts";
import { mask, squeezed } from "../source.ts";
import type { FileChange } from "../warning.ts";
import { isCheckName, type Kind, kindOf, MAX_CONFIG, MAX_SIGNS, runsCheck } from "./files.ts";
import { targetsByLine } from "./targets.ts";

const IGNORES =
  /\|\| *(?:true|:|exit 0|echo\b|\/bin\/true|printf\b|return 0)(?=$|[\s;"'&|)])|; *(?:exit 0|true|:)(?=$|[\s;"'&)])|\s--exit-zero\b|\s--(?:pass-?with-?no-?tests)\b/i;
const IGNORES_ALL =
  /^(?:set \+(?:e|o (?:errexit|pipefail))\b|trap ["']?exit 0|\.IGNORE:|MAKEFLAGS *[+:]?= *.{0,20}(?:-i|--ignore-errors))/;
const IGNORES_IN_CONFIG =
  /^(?:- )?(?:continue-on-error: *(?!false)\S|allow_failure: *true|ignore_outcome *= *true|ignore_errors *= *true|failOnError *= *false|ignoreFailures *= *true|<testFailureIgnore>true|continueOnError: *true|soft_fail: *true|fail_ci_if_error: *false|ignore_error: *true)/i;
/** Commands whose failure may be ignored: they clean up or look for something. */
const HARMLESS =
  /^(?:-|@)*(?:sudo )?(?:rm|rmdir|mkdir|kill|pkill|killall|docker|podman|cd|cp|mv|wait|unlink|command -v|which|type|git|brew|apt(?:-get)?|echo|printf|export|source|\.|umount|chmod|ln|touch|read|sleep|curl|wget|test -[efdn]|\[ -[efdnz]|npm (?:i|ci|install)|pip3? install|dropdb|createdb|systemctl|trap|ulimit|helm|kubectl)\b/;

export function ignoresCode(command: string): boolean {
  return IGNORES.test(command) || IGNORES_ALL.test(command) || /^@?-(?=[\w./])/.test(command);
}

/** The command whose exit code is replaced: the part before `||` or `;`. */
function ignoredCommand(command: string): string {
  const at = IGNORES.exec(command)?.index ?? 0;
  const before = command.slice(0, at).trim();
  const last = before.slice(0, 2_000).split(/;|&&/).at(-1)?.trim();
  return last || before;
}

const EXITS_ZERO =
  /(?<![\w.])(?:process\.exit\s*\(\s*0\s*\)|process\.exitCode\s*=\s*0\b|sys\.exit\s*\(\s*0?\s*\)|os\._exit\s*\(\s*0\s*\)|os\.Exit\s*\(\s*0\s*\)|(?:std::)?process::exit\s*\(\s*0\s*\)|System\.exit\s*\(\s*0\s*\))/;
const SETS_STATUS = /\b(?:session\.)?exitstatus\s*=\s*(?:0|pytest\.ExitCode\.OK)\b/;

const CANNOT_FAIL = /^(?:#.*|set -.*|echo .*|printf .*|true|:|exit 0|exit)?$/;

/** A new check script that only prints. */
export function emptyScript({ path, before, after }: FileChange): readonly Sign[] {
  const isNew = before === null && after !== null && after.length < 4_000;
  if (!isNew || kindOf(path) !== "shell" || !isCheckName(baseName(path).replace(/\.\w+$/, "")))
    return [];
  const lines = after.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => /^(?:echo|printf|true|:|exit)\b/.test(line));
  return first !== -1 && lines.every((line) => CANNOT_FAIL.test(line))
    ? [{ kind: "assertion_emptied", file: path, line: first + 1 }]
    : [];
}

export function ignoredCodes({ path, before, after }: FileChange): readonly Sign[] {
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
  const usesErrexit = /^[ \t]*set -\w*e/m.test(before ?? "");
  for (const [index, raw] of linesOf(after).entries()) {
    if (raw.trim() === "" || isKnown(raw)) continue;
    const line = squeezed(raw);
    const isSign =
      isCode && kind !== "config"
        ? isRunner && (EXITS_ZERO.test(line) || SETS_STATUS.test(line))
        : isCode
          ? SETS_STATUS.test(line) ||
            EXITS_ZERO.test(line) ||
            /success_codes *= *\[[^\]]{0,200}[1-9]/.test(line)
          : isIgnoredLine(line, kind ?? "config", owners[index], path, usesErrexit);
    // Only the indentation may differ.
    if (isSign && !former.some((each) => squeezed(each) === line))
      signs.push({ kind: "exit_code_ignored", file: path, line: index + 1 });
    if (signs.length === MAX_SIGNS) break;
  }
  // A script that no longer stops at a failure.
  if (kind === "shell" && usesErrexit && signs.length === 0 && !/^[ \t]*set -\w*e/m.test(after))
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
  const line = raw.replace(/(?:^|\s)#(?!!).*$/s, "").trim();
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
