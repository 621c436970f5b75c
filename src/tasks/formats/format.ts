import type { TaskDraft } from "../model.ts";

/** A file of another tool, with its path relative to the imported one. */
export interface ExternalFile {
  readonly path: string;
  readonly content: string;
}

/** An entry that could not be imported, and its location. */
export interface Skipped {
  readonly where: string;
  readonly why: string;
}

export interface Imported {
  readonly drafts: readonly TaskDraft[];
  readonly skipped: readonly Skipped[];
  /** Names of the tasks in their source, by ref. */
  readonly names: ReadonlyMap<string, string>;
}

/** An agent that keeps each task list in a folder, with one file per task. */
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
  /** `list` names the folder that the paths are relative to; its subfolders are separate lists. */
  read(files: readonly ExternalFile[], list: string): Imported;
}

/** Turns names into refs, and records the name of each in `names`. */
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
