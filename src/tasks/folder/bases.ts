import { fieldsOfFile } from "../files/fields.ts";
import { isBase, NO_BASE, sameFields } from "../files/merge.ts";
import type { FolderConfig } from "../files/statuses.ts";
import { readTaskFile } from "../formats/backlog/document.ts";
import { type FolderOrigin, forkOf, textAtFork } from "./branch.ts";
import { keyOf } from "./links.ts";
import type { Scan } from "./scan.ts";
import type { BaseEntry, Bases, SyncState } from "./state.ts";

/**
 * The last synced versions for the branch that is checked out. A branch that was never synced starts
 * with those of the last branch: a file that differs from them is compared with its version where the
 * two branches diverged, and one that is not on this branch is not deleted.
 */
export async function basesFor(
  folder: string,
  state: SyncState | undefined,
  { branch, commit }: FolderOrigin,
  { files, unread, config }: Scan,
): Promise<Bases> {
  if (!state) return {};
  const isMoved = branch.startsWith("HEAD of ") && commit !== state.commit;
  const own = isMoved ? undefined : state.branches[branch];
  if (own) return own;
  const last = state.branches[state.branch] ?? {};
  if (commit === undefined || state.commit === undefined) return last;
  const fork = await forkOf(folder, state.commit, commit);
  const byKey = new Map(Object.entries(last).map(([id, { key }]) => [key, id]));
  const idOf = (id: string) => byKey.get(keyOf(id, config.prefix));
  const there = new Map(files.map((each) => [keyOf(each.file.id, config.prefix), each]));
  const broken = new Set(unread.map(({ path }) => path));
  const found: [string, BaseEntry][] = [];
  for (const [id, entry] of Object.entries(last)) {
    const file = there.get(entry.key);
    if (!file) {
      if (broken.has(entry.path)) found.push([id, entry]);
      continue;
    }
    const { state: claimed } = entry.base.texts;
    const now = fieldsOfFile(file.file, file.place, config, { idOf, state: claimed });
    if (isBase(entry.base, now)) {
      found.push([id, entry]);
      continue;
    }
    const then =
      fork === undefined ? undefined : await baseAt(folder, fork, file.path, config, idOf);
    // Edited on the last branch before this one was made from it.
    const isEdited = commit === state.commit && !(then && sameFields(then, now));
    found.push([id, isEdited ? entry : { ...entry, path: file.path, base: then ?? NO_BASE }]);
  }
  return Object.fromEntries(found);
}

async function baseAt(
  folder: string,
  fork: string,
  path: string,
  config: FolderConfig,
  idOf: (fileId: string) => string | undefined,
) {
  const text = await textAtFork(folder, fork, path);
  const read = text === undefined ? undefined : readTaskFile(text);
  return read?.ok ? fieldsOfFile(read.file, "tasks", config, { idOf }) : undefined;
}
