import { isRecord } from "../../core/values.ts";
import { present, rest, status, text, texts } from "../../tasks/formats/fields.ts";
import {
  type ExternalFile,
  type Imported,
  refsIn,
  type Skipped,
  type TaskFilesPart,
} from "../../tasks/formats/format.ts";
import type { TaskDraft } from "../../tasks/model.ts";

const KNOWN = [
  "id",
  "subject",
  "description",
  "activeForm",
  "status",
  "owner",
  "blocks",
  "blockedBy",
  "metadata",
];

/**
 * Claude Code keeps one JSON file per task, in a directory named after the list. `list` names the directory that the
 * paths start in; directories below it are other lists.
 */
export function readClaudeTasks(files: readonly ExternalFile[], list: string): Imported {
  const drafts: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const names = new Map<string, string>();
  for (const { path, content } of files) {
    const inner = path.split("/").at(-2);
    const refOf = refsIn(names, `claude:${inner ?? list}`, (id) =>
      inner === undefined ? id : `${inner}/${id}`,
    );
    let given: unknown;
    try {
      given = JSON.parse(content);
    } catch {
      skipped.push({ where: path, why: "is not JSON" });
      continue;
    }
    if (!isRecord(given) || text(given.id) === undefined || text(given.subject) === undefined) {
      skipped.push({ where: path, why: "has no id and subject" });
      continue;
    }
    const metadata = isRecord(given.metadata) ? given.metadata : {};
    // Claude Code hides its internal tasks.
    if (metadata._internal) continue;
    const stands = status(given.status);
    const owner = text(given.owner);
    drafts.push(
      present<TaskDraft>({
        subject: text(given.subject) ?? "",
        description: text(given.description),
        activeText: text(given.activeForm),
        blockedBy: texts(given.blockedBy).map(refOf),
        metadata: {
          ...rest(given, KNOWN),
          ...rest(metadata, []),
          ...(stands === "open" && owner !== undefined ? { owner } : {}),
          ...(given.status === "in_progress" ? { status: "in_progress" } : {}),
        },
        ref: refOf(text(given.id) ?? ""),
        status: stands,
        owner: stands === "open" ? undefined : owner,
      }),
    );
  }
  return { drafts, skipped, names };
}

export const taskFiles: TaskFilesPart = {
  folder: "~/.claude/tasks",
  file: /^\d+\.json$/,
  read: readClaudeTasks,
};
