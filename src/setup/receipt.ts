import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../engines/storage/place.ts";
import { applyEdits, type Edit } from "./edit/difference.ts";
import { isObject } from "./edit/document.ts";
import type { Memory, Written } from "./reach.ts";

/**
 * What is remembered of a file that setup changed: how it becomes byte for byte what it was, as long as
 * it is as setup left it, and what to put back where it is not. Of the user's own text nothing is kept
 * but what was changed.
 */
export interface Receipt {
  readonly path: string;
  readonly agent: string;
  /** Of the file as setup left it. */
  readonly hash: string;
  /** Hash of the original file; missing in receipts of earlier versions. */
  readonly originalHash?: string;
  /** Whether that file showed that we were there: one that does not any more is not ours. */
  readonly marked: boolean;
  /** What leads from there to what was before. */
  readonly undo: readonly Edit[];
  /** Whether there was a file before. */
  readonly existed: boolean;
  /** Folders above it that setup made. */
  readonly folders: readonly string[];
  /** Receipts of earlier versions lack `entries` and `hooks`. */
  readonly memory: Omit<Memory, keyof Written> & Partial<Written>;
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function fileOf(home: string, path: string): string {
  return join(home, "setup", `${hashOf(path).slice(0, 24)}.json`);
}

/** `damaged` if the receipt exists but cannot be read. */
export function readReceipt(home: string, path: string): Receipt | "damaged" | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(home, path), "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "damaged";
  }
  try {
    const receipt: unknown = JSON.parse(text);
    return isReceipt(receipt) && receipt.path === path ? receipt : "damaged";
  } catch {
    return "damaged";
  }
}

function isReceipt(value: unknown): value is Receipt {
  if (!isObject(value) || !isObject(value.memory)) return false;
  const { settings, members, containers, entries = [], hooks = [] } = value.memory;
  return (
    typeof value.hash === "string" &&
    allOf(value.undo, (each) => isObject(each) && Number.isInteger(each.at)) &&
    allOf(value.folders, (each) => typeof each === "string") &&
    [settings, members].every((list) => allOf(list, hasPath)) &&
    allOf(containers, Array.isArray) &&
    allOf(entries, (each) => hasPath(each) && isObject(each.value)) &&
    allOf(hooks, (each) => hasPath(each) && typeof each.command === "string")
  );
}

function allOf(list: unknown, check: (each: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(check);
}

function hasPath(each: unknown): each is { readonly [name: string]: unknown } {
  return isObject(each) && Array.isArray(each.path);
}

export function keepReceipt(home: string, receipt: Receipt): void {
  const file = fileOf(home, receipt.path);
  mkdirSync(join(home, "setup"), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(receipt, null, 2)}\n`);
}

export function dropReceipt(home: string, path: string): void {
  rmSync(fileOf(home, path), { force: true });
}

/** The text before setup, if the file still is as setup left it. */
export function originalOf(receipt: Receipt | undefined, text: string): string | undefined {
  return receipt && receipt.hash === hashOf(text) ? applyEdits(text, receipt.undo) : undefined;
}
