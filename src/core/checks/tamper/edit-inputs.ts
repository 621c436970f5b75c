/** One change of a file, as the input of a tool describes it. */
export interface EditInput {
  readonly path: string;
  /** The replaced text; null if it is unknown or there was no file. */
  readonly before: string | null;
  /** The new text; null if the file was deleted. */
  readonly after: string | null;
  /** Both texts are parts of the file. */
  readonly isFragment: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_EDITS = 20;
/** Larger texts are not compared. */
const MAX_TEXT = 20_000;

const PATHS = "file_path filePath notebook_path path target_file filename file relative_path".split(
  " ",
);
const OLD = "old_string oldString old_str oldText old_text search old".split(" ");
const NEW = "new_string newString new_str newText new_text replace new insert_text".split(" ");
const WHOLE = "content file_text contents text".split(" ");
const PATCHES = "input patch patchText patch_text diff command".split(" ");

/** The changes that the input of an edit tool names; those without a path or a text are left out. */
export function editInputs(name: string, input: unknown): readonly EditInput[] {
  if (typeof input === "string") return patchInputs(input);
  if (typeof input !== "object" || input === null) return [];
  const given = input as Fields;
  const path = textOf(given, PATHS);
  const changes = Array.isArray(given.changes) ? given.changes : [];
  const all =
    path === undefined
      ? [...changes.slice(0, MAX_EDITS).flatMap(changeInputs), ...patchInputs(patchOf(given))]
      : fileInputs(name, path, given);
  return all
    .filter(({ before, after }) => (before ?? "").length + (after ?? "").length <= 2 * MAX_TEXT)
    .slice(0, MAX_EDITS);
}

const MAX_PATH = 300;

/** The files that the input of an edit tool names. */
export function editPaths(name: string, input: unknown): readonly string[] {
  const path = typeof input === "object" && input !== null && textOf(input as Fields, PATHS);
  const paths = path ? [path] : editInputs(name, input).map((edit) => edit.path);
  return [...new Set(paths)].map((each) => each.slice(-MAX_PATH));
}

function fileInputs(name: string, path: string, given: Fields): readonly EditInput[] {
  if (/delete_?file|remove_?file/i.test(name))
    return [{ path, before: null, after: null, isFragment: false }];
  const edits = Array.isArray(given.edits) ? given.edits : [given];
  const replaced = edits.flatMap((each): readonly EditInput[] => {
    if (typeof each !== "object" || each === null) return [];
    const after = textOf(each as Fields, NEW);
    const before = textOf(each as Fields, OLD);
    if (after === undefined && before === undefined) return [];
    return [{ path, before: before ?? "", after: after ?? "", isFragment: true }];
  });
  if (replaced.length > 0) return replaced;
  const whole = textOf(given, WHOLE);
  if (whole !== undefined) return [{ path, before: null, after: whole, isFragment: false }];
  const diff = textOf(given, PATCHES);
  return diff === undefined ? [] : hunks(path, diff.split("\n"));
}

/** A change of a list of changes: a path with a diff, or a deleted file. */
function changeInputs(change: unknown): readonly EditInput[] {
  if (typeof change !== "object" || change === null) return [];
  const given = change as Fields;
  const path = textOf(given, PATHS);
  if (path === undefined) return [];
  const { kind } = given;
  const how = typeof kind === "object" && kind !== null ? (kind as Fields).type : kind;
  if (how === "delete") return [{ path, before: null, after: null, isFragment: false }];
  const diff = textOf(given, ["diff", "unified_diff"]);
  if (diff === undefined) return [];
  return how === "add" && !/^@@/m.test(diff)
    ? [{ path, before: null, after: diff, isFragment: false }]
    : hunks(path, diff.split("\n"));
}

function textOf(given: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = given[name];
    if (typeof value === "string" && (value !== "" || !PATHS.includes(name))) return value;
  }
  return undefined;
}

function patchOf(given: Fields): string {
  for (const name of PATCHES) {
    const value = given[name];
    const text = Array.isArray(value)
      ? value.filter((part) => typeof part === "string").at(-1)
      : value;
    if (typeof text === "string" && /^(?:\*\*\* |--- |diff )/m.test(text)) return text;
  }
  return "";
}

const FILE = /^(?:\*\*\* (Update|Add|Delete) File: (.{1,1000})|\+\+\+ (?:b\/)?(\S{1,1000}))/;

/** The files of a patch: of `apply_patch` or a unified diff. */
function patchInputs(patch: string): readonly EditInput[] {
  const found: EditInput[] = [];
  let path: string | undefined;
  let how = "Update";
  let lines: string[] = [];
  const end = () => {
    if (path === undefined) return;
    if (how === "Update") found.push(...hunks(path, lines));
    else
      found.push({
        path,
        before: null,
        after: how === "Delete" ? null : lines.map((line) => line.replace(/^\+/, "")).join("\n"),
        isFragment: false,
      });
  };
  for (const line of patch.slice(0, 4 * MAX_TEXT).split("\n")) {
    const file = FILE.exec(line);
    if (file || /^\*\*\* End Patch/.test(line)) {
      end();
      path = file?.[2] ?? file?.[3];
      how = file?.[1] ?? "Update";
      lines = [];
    } else if (!line.startsWith("--- ")) lines.push(line);
  }
  end();
  return found.slice(0, MAX_EDITS);
}

/** The hunks of a diff: the lines before and after each. */
function hunks(path: string, lines: readonly string[]): readonly EditInput[] {
  const found: EditInput[] = [];
  let before: string[] = [];
  let after: string[] = [];
  const end = () => {
    const [was, now] = [before.join("\n"), after.join("\n")];
    if (was !== now) found.push({ path, before: was, after: now, isFragment: true });
    before = [];
    after = [];
  };
  for (const line of lines) {
    if (line.startsWith("@@")) end();
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
    else if (line.startsWith(" ")) {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  end();
  return found;
}
