import type { TaskDraft } from "../model.ts";

/** A file of another tool, by its path below what was named. */
export interface ForeignFile {
  readonly path: string;
  readonly content: string;
}

/** What could not be brought along, and where it stood. */
export interface Skipped {
  readonly where: string;
  readonly why: string;
}

export interface Imported {
  readonly drafts: readonly TaskDraft[];
  readonly skipped: readonly Skipped[];
  /** What the tasks are called where they come from, by the refs that they are known by here. */
  readonly names: ReadonlyMap<string, string>;
}

/** An agent that keeps each list of tasks in a folder, with one file per task. */
export interface TaskFiles extends TaskFilesPart {
  /** Id of the agent. */
  readonly id: string;
  readonly name: string;
  /** KIND in `waymark task import --from KIND`. */
  readonly kind: string;
}

export interface TaskFilesPart {
  /** The folder of all lists, as a user types it. */
  readonly folder: string;
  /** Matches the name of a task's file. */
  readonly file: RegExp;
  /** `list` names the folder that the paths start in; folders below it hold lists of their own. */
  read(files: readonly ForeignFile[], list: string): Imported;
}

/** Makes refs of what tasks are called, and notes in `names` what each is called. */
export function refsIn(
  names: Map<string, string>,
  prefix: string,
  called = (id: string) => id,
): (id: string) => string {
  return (id) => {
    const ref = `${prefix}:${id}`;
    names.set(ref, called(id));
    return ref;
  };
}
