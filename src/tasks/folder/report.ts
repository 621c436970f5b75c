import type { FieldName } from "../files/merge.ts";
import type { FileNote } from "./scan.ts";

/** One change of a sync. */
export interface SyncChange {
  readonly change:
    | "added task"
    | "changed task"
    | "cancelled task"
    | "created file"
    | "changed file"
    | "restored file";
  readonly task?: string;
  /** Relative to the folder. */
  readonly file: string;
}

/** A field that differs on both sides and was changed on both since the last sync. */
export interface SyncConflict {
  readonly task: string;
  readonly file: string;
  readonly field: FieldName;
  readonly fileValue: string;
  readonly taskValue: string;
}

/** A change of a file that the store refused. */
export interface SyncRefusal {
  readonly task?: string;
  readonly file: string;
  readonly message: string;
}

/** The result of a sync. */
export interface SyncReport {
  readonly folder: string;
  /** Pairs of a file and a task. */
  readonly linked: number;
  readonly changes: readonly SyncChange[];
  readonly conflicts: readonly SyncConflict[];
  readonly refused: readonly SyncRefusal[];
  /** Files that were left alone, and why. */
  readonly problems: readonly FileNote[];
}

/** Whether both sides are in step. */
export function isInStep({ conflicts, refused, problems }: SyncReport): boolean {
  return conflicts.length + refused.length + problems.length === 0;
}
