import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../engines/storage/files.ts";
import { refuseNewerFile } from "../engines/storage/migrations.ts";
import type { SetupRecord, Written } from "./apply-entries.ts";
import { applyEdits, type Edit } from "./edit/diff.ts";
import { isObject } from "./edit/document.ts";

/**
 * How to undo a setup of one file: byte for byte if the file is still as setup left it, otherwise item by item. It
 * stores only the parts of the user's text that setup changed.
 */
export interface Receipt {
  readonly path: string;
  readonly agent: string;
  /** Hash of the file as setup left it. */
  readonly hash: string;
  /** Hash of the original file; absent in receipts of earlier versions. */
  readonly originalHash?: string;
  /** Whether the file had an entry or hook of setup. If it no longer has one, nothing is removed. */
  readonly marked: boolean;
  /** The edits that restore the original. */
  readonly undo: readonly Edit[];
  /** Whether the file existed before setup. */
  readonly existed: boolean;
  /** Parent directories that setup created. */
  readonly folders: readonly string[];
  /** Receipts of earlier versions lack `entries` and `hooks`. */
  readonly memory: Omit<SetupRecord, keyof Written> & Partial<Written>;
}

const VERSION = 1;

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
  const receipt = parsed(text);
  if (isObject(receipt)) refuseNewerFile(receipt.version, VERSION, fileOf(home, path));
  return isReceipt(receipt) && receipt.path === path ? receipt : "damaged";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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

/** The text before setup, if the file is still as setup left it. */
export function originalOf(receipt: Receipt | undefined, text: string): string | undefined {
  return receipt && receipt.hash === hashOf(text) ? applyEdits(text, receipt.undo) : undefined;
}
