import { type SimpleCommand, simpleCommands } from "../../activity/evidence/shell.ts";
import { updatesResults } from "../../activity/evidence/updates.ts";
import { oneLine } from "../../text/escape.ts";
import { detectTampering, fragmentTampering } from "../tamper.ts";
import { type EditInput, editInputs } from "./edit-inputs.ts";
import { baseName, isCollectedTest, isSnapshot, isTestPath } from "./languages.ts";
import { isCheckFile } from "./scripts/files.ts";
import type { TamperWarning } from "./warning.ts";

/** Signs in an edit, and those that it undoes. Bounded. */
export interface EditSigns {
  readonly signs: readonly TamperWarning[];
  /** Keys of signs that the edit undoes, or would undo if they were there: a test may move. */
  readonly undone: readonly string[];
}

const MAX_SIGNS = 8;
const MAX_UNDONE = 20;
const MAX_COMMAND = 4_000;
const MAX_TEXT = 160;

/** The same sign in another file or at another line has the same key. */
export function signKey({ kind, text }: TamperWarning): string {
  return `${kind} ${kind === "test_file_removed" ? baseName(text) : text}`;
}

/**
 * Signs in the input of an edit: only the texts that the input has are compared, not the files.
 *
 * @param open known signs, which the edit may undo
 */
export function editSigns(
  name: string,
  input: unknown,
  open: readonly TamperWarning[],
): EditSigns | undefined {
  const signs: TamperWarning[] = [];
  const undone: string[] = [];
  const take = (found: EditSigns) => {
    const isMoved = (sign: TamperWarning) => removeFirst(undone, (key) => key === signKey(sign));
    const own = found.signs.filter((sign) => !isMoved(sign));
    const isBack = (key: string) => removeFirst(signs, (sign) => signKey(sign) === key);
    undone.push(...found.undone.filter((key) => !isBack(key)));
    signs.push(...own);
  };
  const command = commandOf(input);
  if (command !== undefined) take(commandSigns(command, open));
  for (const edit of editInputs(name, input)) if (isRelevant(edit.path)) take(signsOf(edit, open));
  if (signs.length === 0 && undone.length === 0) return undefined;
  return { signs: signs.slice(0, MAX_SIGNS), undone: undone.slice(0, MAX_UNDONE) };
}

/** Removes the first element that matches; false if there is none. */
export function removeFirst<T>(list: T[], matches: (element: T) => boolean): boolean {
  const at = list.findIndex(matches);
  if (at !== -1) list.splice(at, 1);
  return at !== -1;
}

function isRelevant(path: string): boolean {
  return isTestPath(path) || isSnapshot(path) || isCheckFile(path);
}

function signsOf(edit: EditInput, open: readonly TamperWarning[]): EditSigns {
  const { path, before, after, isFragment } = edit;
  if (isFragment && before !== null && after !== null)
    return {
      signs: fragmentTampering({ path, before, after }),
      undone: fragmentTampering({ path, before: after, after: before }).map(signKey),
    };
  if (after === null)
    return { signs: isCollectedTest(path) ? [fileRemoved(path)] : [], undone: [] };
  // The text before is unknown: only what the new text says itself is a sign.
  const signs = detectTampering([{ path, before: null, after }]);
  const lost = detectTampering([{ path, before: after, after: "" }]);
  const settled = open.filter((sign) => sign.file === path && !stillHolds(sign, after));
  return {
    signs: signs.filter((sign) => !open.some((known) => signKey(known) === signKey(sign))),
    undone: [...settled, ...lost, fileRemoved(path)].map(signKey),
  };
}

/** Whether a sign is still there after its file was rewritten. */
function stillHolds({ kind, text }: TamperWarning, after: string): boolean {
  const isThere = after.includes(text);
  return kind === "test_removed" || kind === "assertion_removed" ? !isThere : isThere;
}

function fileRemoved(path: string): TamperWarning {
  return { kind: "test_file_removed", file: path, line: null, text: path };
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd } = input as { command?: unknown; cmd?: unknown };
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  return Array.isArray(given) ? given.filter((word) => typeof word === "string").at(-1) : undefined;
}

/** Deleted tests, updated snapshots, replaced texts and restored files of a shell command. */
function commandSigns(command: string, open: readonly TamperWarning[]): EditSigns {
  if (command.length > MAX_COMMAND) return { signs: [], undone: [] };
  const commands = simpleCommands(command);
  const replaced = commands
    .flatMap(({ words }) => replacedTexts(words))
    .map((edit) => signsOf(edit, open));
  const restored = open.filter((sign) => commands.some(({ words }) => restores(words, sign.file)));
  return {
    signs: [...commands.flatMap(signsOfCommand), ...replaced.flatMap(({ signs }) => signs)],
    undone: [...restored.map(signKey), ...replaced.flatMap(({ undone }) => undone)],
  };
}

/** The replacement of `sed -i s/OLD/NEW/ FILE`, without the parts that only patterns have. */
function replacedTexts([program = "", ...args]: readonly string[]): readonly EditInput[] {
  if (program !== "sed" && program !== "perl" && program !== "gsed") return [];
  const script = args.find((arg) => /^(?:\d[\d,]*|\/[^/]{1,200}\/)?s([/|#,@]).*\1/.test(arg));
  const mark = /s([/|#,@])/.exec(script ?? "")?.[1];
  const path = args.at(-1) ?? "";
  if (script === undefined || mark === undefined || !isRelevant(path)) return [];
  const [, old = "", now = ""] = script.split(new RegExp(`(?<!\\\\)\\${mark}`));
  const text = (part: string) => part.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1");
  return [{ path, before: text(old), after: text(now.replaceAll("&", old)), isFragment: true }];
}

function signsOfCommand({ words }: SimpleCommand): readonly TamperWarning[] {
  const [program = "", ...args] = words[0] === "git" ? words.slice(1) : words;
  const files = args.filter((arg) => !arg.startsWith("-"));
  const [first = ""] = files;
  if (program === "rm" || program === "unlink")
    return files.filter(isCollectedTest).map(fileRemoved);
  if (program === "mv")
    return isCollectedTest(first) && !keepsTest(files) ? [fileRemoved(first)] : [];
  if (!updatesResults(words)) return [];
  const text = oneLine(words.join(" ")).slice(0, MAX_TEXT);
  return [{ kind: "snapshot_rewritten", file: "snapshots", line: null, text }];
}

/** Whether a moved test is still collected: a folder keeps its name. */
function keepsTest(files: readonly string[]): boolean {
  const to = files.at(-1) ?? "";
  return isTestPath(to) || !baseName(to).includes(".");
}

/** Whether a command of git restores a file. */
function restores([program, command, ...args]: readonly string[], file: string): boolean {
  if (program !== "git") return false;
  if (command === "reset") return args.includes("--hard");
  if (command !== "checkout" && command !== "restore") return false;
  const paths = args.filter((arg) => !arg.startsWith("-"));
  return paths.some((path) => path === "." || file === path || file.endsWith(`/${path}`));
}
