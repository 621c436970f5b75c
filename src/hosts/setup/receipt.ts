import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../storage/place.ts";
import { applyEdits, type Edit } from "./difference.ts";
import type { Memory } from "./reach.ts";

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
  /** Whether that file showed that we were there: one that does not any more is not ours. */
  readonly marked: boolean;
  /** What leads from there to what was before. */
  readonly undo: readonly Edit[];
  /** Whether there was a file before. */
  readonly existed: boolean;
  /** Folders above it that setup made. */
  readonly folders: readonly string[];
  readonly memory: Memory;
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function fileOf(home: string, path: string): string {
  return join(home, "setup", `${hashOf(path).slice(0, 24)}.json`);
}

export function readReceipt(home: string, path: string): Receipt | undefined {
  try {
    const receipt = JSON.parse(readFileSync(fileOf(home, path), "utf8")) as Receipt;
    return receipt.path === path ? receipt : undefined;
  } catch {
    // None, or one that cannot be used: then what is ours is known by its name.
    return undefined;
  }
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
