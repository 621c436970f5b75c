import { createHash } from "node:crypto";
import type { Task } from "../model.ts";
import { shortHash } from "./branch.ts";
import type { ScannedFile } from "./scan.ts";
import type { Bases } from "./state.ts";

/** A file with its key, which is unique in the folder. */
export interface KeyedFile extends ScannedFile {
  readonly key: string;
  /** The file that has the same id and got it first. */
  readonly twinOf?: string;
}

/** An id in one spelling: `TASK-007` and `7` name the same task. */
export function keyOf(id: string, prefix: string): string {
  const lower = id.trim().toLowerCase();
  const full = /^\d/.test(lower) ? `${prefix}-${lower}` : lower;
  return full.replace(/(?<=[-.])0+(?=\d)/g, "");
}

/**
 * Two branches may use an id for different tasks. After a merge, the file that had the id before
 * keeps it, and the other one stays a task of its own.
 */
export function withKeys(
  files: readonly ScannedFile[],
  prefix: string,
  bases: Bases,
): readonly KeyedFile[] {
  const known = new Map(Object.values(bases).map(({ key, path }) => [key, path]));
  const first = new Map<string, ScannedFile>();
  for (const each of files) {
    const key = keyOf(each.file.id, prefix);
    if (!first.has(key) || known.get(key) === each.path) first.set(key, each);
  }
  return files.map((each) => {
    const key = keyOf(each.file.id, prefix);
    const other = first.get(key);
    if (!other || other === each) return { ...each, key };
    return { ...each, key: `${key}~${shortHash(nameOf(each.path))}`, twinOf: other.path };
  });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The ref of a task that was added from a file. */
export function refOf(source: string, key: string): string {
  return `backlog:${source}:${key}`;
}

/** Whether a task was added from a file of this folder. */
export function isFrom({ ref = "" }: Task, sources: readonly string[]): boolean {
  return sources.some((source) => ref.startsWith(refOf(source, "")));
}

/** Ids of tasks by key: by the last sync, by ref, or by the id that the task gets in files. */
export function linkFiles(
  files: readonly KeyedFile[],
  bases: Bases,
  tasks: ReadonlyMap<string, Task>,
  { sources, prefix }: { readonly sources: readonly string[]; readonly prefix: string },
): Map<string, string> {
  const byKey = new Map<string, string>();
  for (const [id, { key, createdAt }] of Object.entries(bases))
    if (tasks.get(id)?.createdAt === createdAt) byKey.set(key, id);
  const byRef = new Map<string, string>();
  const byName = new Map<string, string>();
  for (const task of tasks.values()) {
    if (task.ref !== undefined) byRef.set(task.ref, task.id);
    byName.set(ownFileId(task, prefix), task.id);
  }
  const links = new Map<string, string>();
  const used = new Set<string>();
  for (const { key, file } of files) {
    const refs = sources.flatMap((source) => [
      refOf(source, key),
      ...(key.includes("~") ? [] : [refOf(source, file.id.toLowerCase())]),
    ]);
    const id = byKey.get(key) ?? refs.map((ref) => byRef.get(ref)).find(Boolean) ?? byName.get(key);
    if (id === undefined || used.has(id)) continue;
    used.add(id);
    links.set(key, id);
  }
  return links;
}

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * The id of a task of the store in files. It comes from the task, so that every checkout writes the
 * same one, and begins with a letter, so that it is none of the numbers that Backlog.md counts.
 */
export function ownFileId({ id, createdAt }: Task, prefix: string): string {
  const hash = createHash("sha256").update(`${id}:${createdAt}`).digest();
  const letters = [...hash.subarray(0, 7)].map((byte) => LETTERS[byte % LETTERS.length]);
  return `${prefix}-w${letters.join("")}`;
}

/** The name of a new file, without characters that a file system or a shell treats specially. */
export function fileNameOf(id: string, title: string): string {
  let slug = title.replace(/[^\p{L}\p{M}\p{N}._]+/gu, "-").replace(/^[-.]+|(?<![-.])[-.]+$/g, "");
  while (Buffer.byteLength(slug) > 120)
    slug = [...slug]
      .slice(0, -8)
      .join("")
      .replace(/(?<![-.])[-.]+$/, "");
  return `${id} - ${slug === "" ? "Task" : slug}.md`;
}
