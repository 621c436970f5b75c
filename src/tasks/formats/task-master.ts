import { type Fields, isRecord } from "../../core/values.ts";
import type { TaskDraft } from "../model.ts";
import { present, priority, rest, sections, status, text } from "./fields.ts";
import { type Imported, refsIn, type Skipped } from "./format.ts";

const KNOWN = [
  "id",
  "title",
  "description",
  "details",
  "testStrategy",
  "status",
  "priority",
  "dependencies",
  "subtasks",
];

/** Task Master: lists by tag, or a single list in its older form; subtasks are nested in tasks. */
export function readTaskMaster(content: string, source: string): Imported {
  const names = new Map<string, string>();
  let given: unknown;
  try {
    given = JSON.parse(content);
  } catch (error) {
    return {
      drafts: [],
      skipped: [{ where: "the file", why: `is not JSON (${(error as Error).message})` }],
      names,
    };
  }
  if (!isRecord(given))
    return { drafts: [], skipped: [{ where: "the file", why: "is not an object" }], names };
  const lists: (readonly [string, unknown])[] = Array.isArray(given.tasks)
    ? [["master", given.tasks]]
    : Object.entries(given).flatMap(([tag, list]) =>
        isRecord(list) && Array.isArray(list.tasks) ? [[tag, list.tasks] as const] : [],
      );
  const drafts: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  for (const [tag, list] of lists) {
    const refOf = refsIn(names, `task-master:${source}:${tag}`, (id) =>
      tag === "master" ? id : `${id} of ${tag}`,
    );
    for (const [place, task] of (list as unknown[]).entries()) {
      const id = isRecord(task) ? text(task.id) : undefined;
      if (!isRecord(task) || id === undefined || text(task.title) === undefined) {
        skipped.push({ where: `${tag}[${place}]`, why: "has no id and title" });
        continue;
      }
      const labels = tag === "master" ? [] : [tag];
      drafts.push({ ...draftOf(task, refOf, (each) => each), labels, ref: refOf(id) });
      for (const [inner, part] of (Array.isArray(task.subtasks) ? task.subtasks : []).entries()) {
        const own = isRecord(part) ? text(part.id) : undefined;
        if (!isRecord(part) || own === undefined || text(part.title) === undefined) {
          skipped.push({
            where: `${tag}[${place}].subtasks[${inner}]`,
            why: "has no id and title",
          });
          continue;
        }
        // A number refers to a sibling; "3.1" refers to a subtask of another task.
        const sister = (each: string) => (each.includes(".") ? each : `${id}.${each}`);
        drafts.push({
          ...draftOf(part, refOf, sister),
          labels,
          parent: refOf(id),
          ref: refOf(own.includes(".") ? own : `${id}.${own}`),
        });
      }
    }
  }
  return { drafts, skipped, names };
}

function draftOf(
  given: Fields,
  refOf: (id: string) => string,
  resolve: (id: string) => string,
): TaskDraft {
  const stands = status(given.status);
  const wants = Array.isArray(given.dependencies) ? given.dependencies : [];
  const original = text(given.status);
  return present<TaskDraft>({
    subject: text(given.title) ?? "",
    description: sections({
      "": given.description,
      Details: given.details,
      "Test strategy": given.testStrategy,
    }),
    priority: priority(given.priority),
    blockedBy: wants.flatMap((each) => text(each) ?? []).map((each) => refOf(resolve(each))),
    metadata: {
      ...rest(given, KNOWN),
      ...(stands === "open" && original !== undefined && original !== "pending"
        ? { status: original }
        : {}),
    },
    status: stands,
  });
}
