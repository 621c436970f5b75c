import type { TaskFile } from "../formats/backlog/document.ts";
import type { Patch } from "../formats/backlog/front-matter.ts";
import { SECTION_NAMES, type Sections } from "../formats/backlog/sections.ts";
import { ownerIn, phaseIn } from "./fields.ts";
import type { SharedFields, TextField } from "./merge.ts";
import type { FolderConfig } from "./statuses.ts";

/** New values of the changed parts of a file. */
export interface FilePatch {
  readonly keys: Patch;
  readonly sections: Sections;
}

/** The changes that give a file the merged fields. `fileIdOf` returns the id that a task has in files. */
export function patchOf(
  file: TaskFile,
  from: SharedFields,
  to: SharedFields,
  config: FolderConfig,
  { fileIdOf, idOf }: { fileIdOf(id: string): string; idOf(fileId: string): string | undefined },
): FilePatch {
  const isNew = (field: TextField) => from.texts[field] !== to.texts[field];
  const keys: Record<string, Patch[string]> = {};
  if (isNew("title")) keys.title = to.texts.title;
  if (isNew("state"))
    Object.assign(keys, stateKeys(file, from.texts.state, to.texts.state, config));
  if (isNew("priority")) keys.priority = to.texts.priority;
  if (isNew("parent"))
    keys.parent_task_id = to.texts.parent === "" ? undefined : fileIdOf(to.texts.parent);
  const labels = changedList(file.labels, from.sets.labels, to.sets.labels, (each) => each.trim());
  if (labels) keys.labels = labels;
  const { dependencies: before } = from.sets;
  const ties = changedList(file.dependencies, before, to.sets.dependencies, idOf, fileIdOf);
  if (ties) keys.dependencies = ties;
  const sections = SECTION_NAMES.filter(isNew).map((name) => [name, to.texts[name]] as const);
  return { keys, sections: Object.fromEntries(sections) };
}

/** The list of a file with some entries removed and others appended; undefined if nothing changed. */
function changedList(
  written: readonly string[],
  from: readonly string[],
  to: readonly string[],
  meaning: (written: string) => string | undefined,
  print: (value: string) => string = (value) => value,
): readonly string[] | undefined {
  const added = to.filter((each) => !from.includes(each));
  const removed = from.filter((each) => !to.includes(each));
  if (added.length === 0 && removed.length === 0) return undefined;
  // Entries that the store does not know stay.
  const kept = written.filter((each) => !removed.includes(meaning(each) ?? ""));
  return [...kept, ...added.map(print)];
}

function stateKeys(file: TaskFile, from: string, to: string, config: FolderConfig): Patch {
  const phase = phaseIn(to);
  const owner = ownerIn(to);
  const isThere = config.phaseOf(file.status) === phase;
  const status = isThere ? undefined : config.statusFor(phase);
  const [first = "", ...others] = file.assignee;
  const before = ownerIn(from);
  const isReleased = phase === "open" && before !== undefined && first.replace(/^@/, "") === before;
  return {
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { assignee: [`@${owner}`] }),
    ...(isReleased && { assignee: others }),
  };
}
