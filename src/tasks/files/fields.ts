import { oneLine } from "../../core/text/escape.ts";
import type { TaskFile } from "../formats/backlog/document.ts";
import { SECTION_NAMES, type SectionName, splitSections } from "../formats/backlog/sections.ts";
import { priority } from "../formats/fields.ts";
import type { Priority, Task } from "../model.ts";
import { USER } from "../rules/user-ops.ts";
import type { SharedFields } from "./merge.ts";
import type { FolderConfig, Phase } from "./statuses.ts";

/** The folder that a file is in. */
export type FilePlace = "tasks" | "completed" | "archive";

/** A task for both sides, at a point in time. */
export function fieldsOfTask(
  task: Task,
  config: FolderConfig,
  /** Whether a task has a file. */
  isShared: (id: string) => boolean,
): SharedFields {
  const { parent = "" } = task;
  return {
    texts: {
      title: oneLine(task.subject),
      state: stateOfTask(task, config),
      priority: rankOf(task.priority),
      parent: isShared(parent) ? parent : "",
      ...allSections(splitSections(task.description ?? "")),
    },
    sets: { labels: task.labels, dependencies: task.blockedBy.filter(isShared) },
  };
}

function stateOfTask({ status, owner = "" }: Task, config: FolderConfig): string {
  if (status === "done" || status === "cancelled") return status;
  // A folder without such a column shows the task as open.
  const isShown = status === "claimed" && config.statusFor("claimed") !== undefined;
  return isShown ? claimedBy(owner) : "open";
}

const CLAIMED = "claimed ";
const claimedBy = (owner: string) => `${CLAIMED}${owner}`;

/** The owner in a state; undefined if it is not claimed. */
export function ownerIn(state: string): string | undefined {
  return state.startsWith(CLAIMED) ? state.slice(CLAIMED.length) : undefined;
}

export function phaseIn(state: string): Phase {
  return state.startsWith(CLAIMED) ? "claimed" : (state as Phase);
}

/** A file for both sides. `task` is the state of its task: a file may leave out the owner. */
export function fieldsOfFile(
  file: TaskFile,
  place: FilePlace,
  config: FolderConfig,
  {
    idOf,
    state,
  }: { idOf(fileId: string): string | undefined; readonly state?: string | undefined },
): SharedFields {
  return {
    texts: {
      title: oneLine(file.title),
      state: stateOfFile(file, place, config, state),
      priority: rankOf(priority(file.priority) ?? 2),
      parent: (file.parent !== undefined && idOf(file.parent)) || "",
      ...allSections(file.sections),
    },
    sets: {
      labels: [...new Set(file.labels.map(oneLine))],
      dependencies: [...new Set(file.dependencies.flatMap((each) => idOf(each) ?? []))],
    },
  };
}

function stateOfFile(
  { status, assignee }: TaskFile,
  place: FilePlace,
  config: FolderConfig,
  ofTask = "",
): string {
  const phase = config.phaseOf(status);
  if (place === "completed") return "done";
  if (place === "archive") return phase === "done" ? "done" : "cancelled";
  if (phase !== "claimed") return phase;
  const [first] = assignee;
  if (first !== undefined) return claimedBy(ownerName(first));
  return ownerIn(ofTask) === undefined ? claimedBy(USER) : ofTask;
}

function ownerName(assignee: string): string {
  return oneLine(assignee).replace(/^@/, "") || USER;
}

export const RANKS: Readonly<Record<string, Priority>> = { high: 1, medium: 2, low: 3 };

function rankOf(given: Priority): string {
  return given < 2 ? "high" : given === 2 ? "medium" : "low";
}

function allSections(given: Readonly<Partial<Record<SectionName, string>>>) {
  return Object.fromEntries(SECTION_NAMES.map((name) => [name, given[name] ?? ""])) as Record<
    SectionName,
    string
  >;
}
