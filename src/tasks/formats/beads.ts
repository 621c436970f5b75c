import { isRecord } from "../../core/values.ts";
import type { TaskDraft } from "../model.ts";
import { present, priority, rest, sections, status, text, texts, time } from "./fields.ts";
import { type Imported, refsIn, type Skipped } from "./format.ts";

const KNOWN = [
  "id",
  "title",
  "description",
  "design",
  "acceptance_criteria",
  "notes",
  "status",
  "priority",
  "labels",
  "dependencies",
  "created_at",
  "updated_at",
  "closed_at",
  "close_reason",
  "created_by",
];

/** Beads: one issue per line, with its dependencies. */
export function readBeads(content: string): Imported {
  const drafts: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const names = new Map<string, string>();
  const refOf = refsIn(names, "beads");
  for (const [place, written] of content.split("\n").entries()) {
    if (written.trim() === "") continue;
    const where = `line ${place + 1}`;
    let given: unknown;
    try {
      given = JSON.parse(written);
    } catch {
      skipped.push({ where, why: "is not JSON" });
      continue;
    }
    if (!isRecord(given) || text(given.id) === undefined || text(given.title) === undefined) {
      skipped.push({ where, why: "has no id and title" });
      continue;
    }
    const ties = (Array.isArray(given.dependencies) ? given.dependencies : []).filter(isRecord);
    const tiedBy = (type: string) =>
      ties
        .filter((tie) => (tie.type ?? "blocks") === type)
        .flatMap((tie) => text(tie.depends_on_id) ?? []);
    const stands = status(given.status);
    const [parent] = tiedBy("parent-child");
    const metadata = {
      ...rest(given, KNOWN),
      ...(stands === "open" && given.status !== "open" && text(given.status) !== undefined
        ? { status: text(given.status) ?? "" }
        : {}),
    };
    drafts.push(
      present<TaskDraft>({
        subject: text(given.title) ?? "",
        description: sections({
          "": given.description,
          Design: given.design,
          "Acceptance criteria": given.acceptance_criteria,
          Notes: given.notes,
        }),
        priority: priority(given.priority),
        labels: texts(given.labels),
        parent: parent === undefined ? undefined : refOf(parent),
        blockedBy: tiedBy("blocks").map(refOf),
        metadata,
        ref: refOf(text(given.id) ?? ""),
        author: text(given.created_by),
        status: stands,
        owner: stands === "open" ? undefined : text(given.assignee),
        reason: text(given.close_reason),
        createdAt: time(given.created_at),
        finishedAt: time(given.closed_at),
      }),
    );
  }
  return { drafts, skipped, names };
}
