import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { FOLD_VERSION } from "../core/evolve.ts";
import type { Indexed } from "./fold.ts";

/** What is known of every file, kept between two starts. A cache: it can be thrown away. */
export type Index = Map<string, Indexed>;

/** Changes whenever what is kept would be read differently. */
const FORMAT = `2.${FOLD_VERSION}`;

export function loadIndex(path: string): Index {
  try {
    const { format, files } = JSON.parse(readFileSync(path, "utf8"));
    if (format !== FORMAT) return new Map();
    return new Map(Object.entries(files as Record<string, Indexed>));
  } catch {
    // Not there yet, or damaged: everything is read again.
    return new Map();
  }
}

export function saveIndex(path: string, index: Index): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify({ format: FORMAT, files: Object.fromEntries(index) }), {
      mode: 0o600,
    });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
