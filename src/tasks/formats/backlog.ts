import type { TaskDraft } from "../model.ts";
import { readTaskFile, type TaskFile } from "./backlog/document.ts";
import { joinSections } from "./backlog/sections.ts";
import { present, priority, rest, status, text, time } from "./fields.ts";
import { type ExternalFile, type Imported, refsIn, type Skipped } from "./format.ts";

const KNOWN = [
  "id",
  "title",
  "status",
  "priority",
  "labels",
  "dependencies",
  "parent_task_id",
  "parent",
  "created_date",
  "updated_date",
  "completed_date",
  "reporter",
];

/** Backlog.md: one Markdown file per task, with its fields in the front matter. */
export function readBacklog(files: readonly ExternalFile[], source: string): Imported {
  const drafts: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const names = new Map<string, string>();
  const known = refsIn(names, `backlog:${source}`);
  const refOf = (id: string) => known(id.toLowerCase());
  for (const { path, content } of files) {
    const read = readTaskFile(content);
    if (read.ok) drafts.push(draftOf(read.file, path, refOf));
    else skipped.push({ where: path, why: `${read.problem.why} (line ${read.problem.line})` });
  }
  return { drafts, skipped, names };
}

function draftOf(file: TaskFile, path: string, refOf: (id: string) => string): TaskDraft {
  const keys = Object.fromEntries(file.front.entries.map(({ key, value }) => [key, value]));
  const archived = /(?:^|\/)archive\//.test(path) ? "cancelled" : undefined;
  const stands = /(?:^|\/)completed\//.test(path) ? "done" : (archived ?? status(file.status));
  const original = file.status;
  const metadata = Object.fromEntries(
    Object.entries(rest(keys, KNOWN)).filter(
      ([, value]) => !Array.isArray(value) || value.length > 0,
    ),
  );
  return present<TaskDraft>({
    subject: file.title,
    description: joinSections(file.sections),
    priority: priority(file.priority),
    labels: file.labels,
    parent: file.parent === undefined ? undefined : refOf(file.parent),
    blockedBy: file.dependencies.map(refOf),
    metadata: {
      ...metadata,
      ...(stands === "open" && original !== undefined && !/^to.?do$/i.test(original)
        ? { status: original }
        : {}),
    },
    ref: refOf(file.id),
    author: text(keys.reporter),
    status: stands,
    createdAt: time(keys.created_date),
    finishedAt: stands === "open" ? undefined : time(keys.completed_date ?? keys.updated_date),
  });
}
