import {
  type FileProblem,
  type FrontMatter,
  lineOf,
  type Patch,
  parseFrontMatter,
  patchFrontMatter,
  printEntry,
} from "./front-matter.ts";
import { readSections, type Sections, writeSections } from "./sections.ts";
import type { YamlValue } from "./yaml.ts";

/** A task file, with what it says. */
export interface TaskFile {
  readonly text: string;
  readonly front: FrontMatter;
  /** As the file writes it, e.g. `TASK-1`. */
  readonly id: string;
  readonly title: string;
  readonly status: string | undefined;
  readonly assignee: readonly string[];
  readonly priority: string | undefined;
  readonly labels: readonly string[];
  /** Ids as the file writes them. */
  readonly dependencies: readonly string[];
  readonly parent: string | undefined;
  readonly sections: Sections;
}

export type ReadTaskFile =
  | { readonly ok: true; readonly file: TaskFile }
  | { readonly ok: false; readonly problem: FileProblem };

/** The order in which Backlog.md writes its keys. */
const ORDER = [
  "id",
  "title",
  "status",
  "assignee",
  "reporter",
  "created_date",
  "updated_date",
  "due_date",
  "labels",
  "milestone",
  "dependencies",
  "references",
  "documentation",
  "modified_files",
  "parent_task_id",
  "subtasks",
  "priority",
  "type",
  "project",
  "ordinal",
];

/** Reads one task file. A problem names its line; nothing is guessed. */
export function readTaskFile(text: string): ReadTaskFile {
  const conflict = conflictLine(text);
  if (conflict !== undefined) return failed(conflict, "has conflict markers of git");
  const read = parseFrontMatter(text);
  if (!read.ok) return read;
  const { front } = read;
  const values = new Map(front.entries.map(({ key, value }) => [key, value]));
  const unread = front.entries.find(
    ({ key, value }) =>
      value === undefined &&
      ORDER.slice(0, 4)
        .concat("labels", "dependencies", "parent_task_id", "priority")
        .includes(key),
  );
  if (unread) return failed(unread.from + 2, `has a value of ${unread.key} that cannot be read`);
  const one = (key: string) => single(values.get(key));
  const id = one("id");
  const title = one("title");
  if (id === undefined || title === undefined) return failed(1, "has no id and title at its top");
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(id))
    return failed(lineOf(front, "id"), "has an invalid id");
  return {
    ok: true,
    file: {
      text,
      front,
      id,
      title,
      status: one("status"),
      assignee: several(values.get("assignee")),
      priority: one("priority"),
      labels: several(values.get("labels")),
      dependencies: several(values.get("dependencies")),
      parent: one("parent_task_id") ?? one("parent"),
      sections: readSections(front.body),
    },
  };
}

function failed(line: number, why: string): ReadTaskFile {
  return { ok: false, problem: { line, why } };
}

/** The line of the first conflict that git left in a file. */
function conflictLine(text: string): number | undefined {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => /^<{7}(?: |$)/.test(line));
  const middle = begin === -1 ? -1 : lines.indexOf("=======", begin);
  const isConflict = middle !== -1 && lines.slice(middle).some((line) => /^>{7}(?: |$)/.test(line));
  return isConflict ? begin + 1 : undefined;
}

function single(value: YamlValue | undefined): string | undefined {
  const text = typeof value === "string" ? value : value?.[0];
  return text === undefined || text.trim() === "" ? undefined : text;
}

function several(value: YamlValue | undefined): readonly string[] {
  const list = typeof value === "string" ? [value] : (value ?? []);
  return list.filter((each) => each.trim() !== "");
}

/** The file with these keys and sections changed; everything else stays byte for byte. */
export function changeTaskFile({ front }: TaskFile, patch: Patch, sections: Sections): string {
  const body = writeSections(front.body, sections, front.eol);
  const mark = front.below.slice(0, front.below.length - front.body.length);
  const isOpen = body !== front.body && !mark.endsWith("\n");
  const below = `${mark}${isOpen ? front.eol : ""}${body}`;
  return patchFrontMatter({ ...front, below, body }, patch, ORDER);
}

/** A new file, as Backlog.md writes it. */
export function newTaskFile(keys: Readonly<Record<string, YamlValue>>, sections: Sections): string {
  const lines = ORDER.flatMap((key) => {
    const value = keys[key];
    return value === undefined ? [] : printEntry(key, value, "block");
  });
  const body = writeSections("", sections, "\n");
  return `---\n${lines.map((line) => `${line}\n`).join("")}---\n${body === "" ? "\n\n" : body}`;
}
