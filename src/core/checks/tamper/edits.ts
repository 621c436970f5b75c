import { type SimpleCommand, simpleCommands } from "../../activity/evidence/shell.ts";
import { updatesResults } from "../../activity/evidence/updates.ts";
import { oneLine } from "../../text/escape.ts";
import { detectTampering, fragmentTampering } from "../tamper.ts";
import { type EditInput, editInputs, editPaths } from "./edit-inputs.ts";
import { baseName, isCollectedTest, isSnapshot, isTestPath } from "./languages.ts";
import { isLocalFile, isUsuallyIgnored } from "./live/ignored-files.ts";
import { formerText, type KnownFile, knownFile } from "./live/known-files.ts";
import { isCheckFile } from "./scripts/files.ts";
import type { TamperKind, TamperWarning } from "./warning.ts";

/** Signs in an edit, and those that it undoes. Bounded. */
export interface EditSigns {
  readonly signs: readonly TamperWarning[];
  /** Keys of signs that the edit undoes, or would undo if they were there: a test may move. */
  readonly undone: readonly string[];
  /** Signs that hold if the result says that the file existed before. */
  readonly ifOverwritten?: readonly TamperWarning[];
}

/** The state of the session before an edit. */
export interface EditContext {
  /** Known signs, which the edit may undo. */
  readonly open?: readonly TamperWarning[] | undefined;
  /** Test files that the agent read or wrote. */
  readonly known?: readonly KnownFile[] | undefined;
  /** The working directory. */
  readonly cwd?: string | undefined;
}

const MAX_SIGNS = 8;
const MAX_UNDONE = 20;
const MAX_COMMAND = 4_000;
const MAX_TEXT = 160;
const MAX_PATH = 300;

/** The same sign in another file or at another line has the same key. */
export function signKey({ kind, text }: TamperWarning): string {
  return `${kind} ${kind === "test_file_removed" ? baseName(text) : text}`;
}

/** Signs in the input of an edit. Compares the texts of the input, not the files. */
export function editSigns(
  name: string,
  input: unknown,
  { open = [], known, cwd }: EditContext = {},
): EditSigns | undefined {
  const signs: TamperWarning[] = [];
  const undone: string[] = [];
  const ifOverwritten: TamperWarning[] = [];
  const take = (found: EditSigns) => {
    const isMoved = (sign: TamperWarning) => removeFirst(undone, (key) => key === signKey(sign));
    const own = found.signs.filter((sign) => !isMoved(sign));
    const isBack = (key: string) => removeFirst(signs, (sign) => signKey(sign) === key);
    undone.push(...found.undone.filter((key) => !isBack(key)));
    signs.push(...own);
    ifOverwritten.push(...(found.ifOverwritten ?? []));
  };
  const command = commandOf(input);
  if (command !== undefined) take(commandSigns(command, open, cwd));
  const edits = editInputs(name, input);
  for (const edit of edits) if (isRelevant(edit.path)) take(signsOf(edit, open, known));
  const removed = edits.filter(({ after }) => after === null).map(({ path }) => path);
  take(ignoredSigns(editPaths(name, input), removed, open, cwd));
  if (signs.length + undone.length + ifOverwritten.length === 0) return undefined;
  return {
    signs: signs.slice(0, MAX_SIGNS),
    undone: undone.slice(0, MAX_UNDONE),
    ...(ifOverwritten.length > 0 && { ifOverwritten: ifOverwritten.slice(0, MAX_SIGNS) }),
  };
}

/** Files that git usually ignores: a check that needs them passes on this machine only. */
function ignoredSigns(
  edited: readonly string[],
  removed: readonly string[],
  open: readonly TamperWarning[],
  cwd: string | undefined,
): EditSigns {
  const isRemoved = ({ kind, file }: TamperWarning) =>
    kind === "ignored_file" &&
    removed.some((path) => file === path || file.endsWith(`/${path}`) || path.endsWith(`/${file}`));
  const found = edited
    .filter((path) => !removed.includes(path) && isUsuallyIgnored(path, cwd))
    .map((path) => fileSign("ignored_file", path));
  return {
    signs: found.filter((sign) => !open.some((known) => signKey(known) === signKey(sign))),
    undone: open.filter(isRemoved).map(signKey),
  };
}

/** The test files that a call writes as a whole. */
export function wholeTests(name: string, input: unknown): readonly string[] {
  return editInputs(name, input)
    .filter(({ path, after, isFragment }) => !isFragment && after !== null && isCollectedTest(path))
    .map(({ path }) => path.slice(-MAX_PATH));
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

function signsOf(
  edit: EditInput,
  open: readonly TamperWarning[],
  files?: readonly KnownFile[],
): EditSigns {
  const { path, before, after, isFragment } = edit;
  if (isFragment && before !== null && after !== null)
    return {
      signs: fragmentTampering({ path, before, after }),
      undone: fragmentTampering({ path, before: after, after: before }).map(signKey),
    };
  if (after === null)
    return { signs: isCollectedTest(path) ? [fileRemoved(path)] : [], undone: [] };
  const isNew = (sign: TamperWarning) => !open.some((known) => signKey(known) === signKey(sign));
  const rewritten = fileSign("test_rewritten", path);
  const known = isCollectedTest(path) ? knownFile(files, path) : undefined;
  const former = known?.lines === undefined ? undefined : formerText(known.lines, after);
  const lost = detectTampering([{ path, before: after, after: "" }]);
  const settled = open.filter((sign) => sign.file === path && !stillHolds(sign, after));
  const undone = [...settled, ...lost, fileRemoved(path)];
  if (former !== undefined)
    return {
      signs: detectTampering([{ path, before: former, after }]).filter(isNew),
      undone: [...undone, rewritten].map(signKey),
    };
  // The text before is unknown: only what the new text says itself is a sign.
  const signs = detectTampering([{ path, before: null, after }]);
  const wasRemoved = open.some((sign) => signKey(sign) === signKey(fileRemoved(path)));
  const isRewritten = isCollectedTest(path) && !known?.isNew && (known !== undefined || wasRemoved);
  const mayBe = isCollectedTest(path) && known === undefined && isNew(rewritten);
  return {
    signs: [...signs, ...(isRewritten ? [rewritten] : [])].filter(isNew),
    undone: undone.map(signKey),
    ...(mayBe && !isRewritten && { ifOverwritten: [rewritten] }),
  };
}

/** Whether a sign is still there after its file was rewritten. */
function stillHolds({ kind, text }: TamperWarning, after: string): boolean {
  if (kind === "test_rewritten" || kind === "ignored_file") return true;
  const isThere = after.includes(text);
  return kind === "test_removed" || kind === "assertion_removed" ? !isThere : isThere;
}

function fileRemoved(path: string): TamperWarning {
  return fileSign("test_file_removed", path);
}

function fileSign(kind: TamperKind, path: string): TamperWarning {
  return { kind, file: path, line: null, text: oneLine(path).slice(-MAX_TEXT) };
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd } = input as { command?: unknown; cmd?: unknown };
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  return Array.isArray(given) ? given.filter((word) => typeof word === "string").at(-1) : undefined;
}

/** Deleted tests, updated snapshots, replaced texts and restored files of a shell command. */
function commandSigns(
  command: string,
  open: readonly TamperWarning[],
  cwd: string | undefined,
): EditSigns {
  if (command.length > MAX_COMMAND) return { signs: [], undone: [] };
  const commands = simpleCommands(command);
  const replaced = commands
    .flatMap(({ words }) => replacedTexts(words))
    .map((edit) => signsOf(edit, open));
  const restored = open.filter((sign) => commands.some(({ words }) => restores(words, sign.file)));
  const removed = commands.flatMap(({ words }) => (words[0] === "rm" ? words.slice(1) : []));
  const all = [
    ...replaced,
    ignoredSigns(commands.flatMap(localFiles).filter(isLocalFile), removed, open, cwd),
  ];
  return {
    signs: [...commands.flatMap(signsOfCommand), ...all.flatMap(({ signs }) => signs)],
    undone: [...restored.map(signKey), ...all.flatMap(({ undone }) => undone)],
  };
}

/** After an address, by line or pattern. */
const SUBSTITUTION = /^(?:\d[\d,]*|\/[^/]{1,200}\/)?s([/|#,@])(.*\1.*)/;

/** The replacement of `sed -i s/OLD/NEW/ FILE`, without the parts that only patterns have. */
function replacedTexts([program = "", ...args]: readonly string[]): readonly EditInput[] {
  if (program !== "sed" && program !== "perl" && program !== "gsed") return [];
  const script = args.map((arg) => SUBSTITUTION.exec(arg)).find((found) => found !== null);
  const path = args.at(-1) ?? "";
  if (!script || !isRelevant(path)) return [];
  const [, mark = "", parts = ""] = script;
  const [old = "", now = ""] = parts.split(new RegExp(`(?<!\\\\)\\${mark}`));
  const text = (part: string) => part.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1");
  return [{ path, before: text(old), after: text(now.replaceAll("&", old)), isFragment: true }];
}

/** Files that a command writes or copies to. A copy of an example is what the project documents. */
function localFiles({ words, writes }: SimpleCommand): readonly string[] {
  const [program = "", ...args] = words;
  const files = args.filter((arg) => !arg.startsWith("-"));
  const [from = ""] = files;
  const isExample = /example|sample|template|dist$|default/i.test(from);
  const copied = (program === "cp" || program === "mv") && !isExample ? files.slice(-1) : [];
  return [...writes, ...copied, ...(program === "tee" ? files : [])];
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
