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
}
