import {
  type ChangedFile,
  type ChangedFiles,
  type FileLines,
  sumLines,
} from "../../core/files/changed-files.ts";
import { counted } from "../../core/text/count.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { withIsoTimes } from "../../core/views/json.ts";

const MAX_FILES = 50;
const MAX_OTHERS = 10;

/** `+42 -7`, or `binary`. */
export function linesText({ added, removed }: FileLines): string {
  return added === null || removed === null ? "binary" : `+${added} -${removed}`;
}

/** The changed files of a session, one per line; empty if there are none. */
export function fileLines({ files, unnamed, dropped, git, problem }: ChangedFiles): string[] {
  const others = git?.others ?? [];
  const hasAny = files.length > 0 || unnamed > 0;
  if (!hasAny) return [];
  const sum = sumLines(files);
  const since = git?.since ? ` since ${git.since.slice(0, 7)}` : "";
  return [
    `Changed files: ${counted(files.length, "file")}${sum ? `, ${linesText(sum)}${since}` : ""}`,
    ...files.slice(0, MAX_FILES).map((file) => `  ${fileText(file)}`),
    ...more(files.length - MAX_FILES),
    ...(unnamed > 0
      ? [
          `  ${counted(unnamed, "more edit")} in files that the ${unnamed === 1 ? "call does" : "calls do"} not name`,
        ]
      : []),
    ...(dropped > 0 ? [`  ${counted(dropped, "older edit")} not included`] : []),
    ...(git && git.othersTotal > 0
      ? [
          `  ${counted(git.othersTotal, "other file")} in the repository ${git.othersTotal === 1 ? "differs" : "differ"}${since}`,
          ...others
            .slice(0, MAX_OTHERS)
            .map(({ path, lines }) => `    ${terminalLine(path)}  ${linesText(lines)}`),
          ...more(git.othersTotal - MAX_OTHERS).map((line) => `  ${line}`),
        ]
      : []),
    ...(problem === undefined ? [] : [`  Lines not counted: ${terminalLine(problem)}`]),
  ];
}

function more(count: number): readonly string[] {
  return count > 0 ? [`  and ${count} more`] : [];
}

/** `src/keys.ts  +42 -7  3 edits  todo 4` */
function fileText({ path, edits, todos, lines }: ChangedFile): string {
  const facts = [
    terminalLine(path),
    ...(lines ? [linesText(lines)] : []),
    counted(edits, "edit"),
    ...(todos.length > 0
      ? [`${todos.length === 1 ? "todo" : "todos"} ${terminalLine(todos.join(", "))}`]
      : []),
  ];
  return facts.join("  ");
}

/** The changed files as JSON. */
export function changedFilesForm({ files, ...rest }: ChangedFiles) {
  return { files: files.map((file) => withIsoTimes(file)), ...rest };
}
