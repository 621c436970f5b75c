import { isRecord } from "../../core/values.ts";
import { present, rest, status, text, texts } from "../../tasks/formats/fields.ts";
import {
  type ForeignFile,
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
 * Claude Code keeps a JSON file for each task of a list, in a folder named like the list. `list` is
 * the one whose folder the paths begin in; those below it hold lists of their own.
 */
export function readClaudeTasks(files: readonly ForeignFile[], list: string): Imported {
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
      skipped.push({ where: path, why: "is no JSON" });
      continue;
    }
    if (!isRecord(given) || text(given.id) === undefined || text(given.subject) === undefined) {
      skipped.push({ where: path, why: "has no id and subject" });
      continue;
    }
    const metadata = isRecord(given.metadata) ? given.metadata : {};
    // What Claude Code keeps for itself it shows to nobody.
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
