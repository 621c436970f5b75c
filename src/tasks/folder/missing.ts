import { CommandError } from "../../core/error.ts";
import { ownerIn, phaseIn } from "../files/fields.ts";
import { isBase } from "../files/merge.ts";
import { send } from "./apply.ts";
import { keyOf } from "./links.ts";
import type { BaseEntry } from "./state.ts";
import type { Pass } from "./sync.ts";

/** More missing files than this, and more than half of all, look like an accident. */
const FEW = 3;

interface Missing {
  /** Entries to keep. */
  readonly entries: Record<string, BaseEntry>;
  /** Tasks whose file is written again. */
  readonly restored: readonly string[];
  /** Cancels the tasks of deleted files. */
  cancel(): Promise<void>;
}

/**
 * Handles files of the last sync that are missing now. The task of a deleted file is cancelled if nothing happened
 * to it since; otherwise its file is written again, and so is that of a task that was reopened.
 */
export function missingFiles(pass: Pass): Missing {
  const { bases, links, options, table } = pass;
  const entries: Record<string, BaseEntry> = {};
  const restored: string[] = [];
  const deleted: { readonly id: string; readonly entry: BaseEntry }[] = [];
  const linked = new Set(links.values());
  for (const [id, entry] of Object.entries(bases)) {
    const fields = pass.fieldsOf(id);
    if (linked.has(id)) continue;
    entries[id] = entry;
    // Its file is there but cannot be read, or its task was pruned.
    if (!fields || table.byId.get(id)?.createdAt !== entry.createdAt || isUnread(pass, entry))
      continue;
    const phase = phaseIn(fields.texts.state);
    const isClosed = phase === "done" || phase === "cancelled";
    if (isClosed) entries[id] = { ...entry, isGone: true };
    else if (entry.isGone) restored.push(id);
    else if (!(options.isDeleted?.(entry.key) ?? true)) continue;
    else if (isUnchanged(pass, entry, id) && ownerIn(fields.texts.state) === undefined)
      deleted.push({ id, entry });
    else restored.push(id);
  }
  const all = Object.values(bases).filter(({ isGone }) => !isGone).length;
  if (!options.allowDeletions && deleted.length > FEW && deleted.length * 2 > all)
    throw new CommandError(
      `${deleted.length} of ${all} files are missing in ${options.folder}. Nothing was changed. Restore them, or pass --allow-deletions to cancel their tasks.`,
    );
  return {
    entries,
    restored,
    async cancel() {
      for (const { id, entry } of deleted) {
        const reason = `Its file was deleted: ${entry.path}`;
        const op = { op: "cancel", id, reason } as const;
        const why = options.dryRun ? undefined : await send(options.store, table, op);
        if (why) pass.refused.push({ task: id, file: entry.path, message: why.message });
        else {
          entries[id] = { ...entry, isGone: true };
          pass.changes.push({ change: "cancelled task", task: id, file: entry.path });
        }
      }
    },
  };
}

function isUnchanged(pass: Pass, { base }: BaseEntry, id: string): boolean {
  const fields = pass.fieldsOf(id);
  // Dependencies on other deleted files are no longer shared.
  return (
    fields !== undefined &&
    isBase(
      {
        texts: { ...base.texts, parent: fields.texts.parent },
        sets: { ...base.sets, dependencies: fields.sets.dependencies },
      },
      fields,
    )
  );
}

function isUnread({ scan }: Pass, { path, key }: BaseEntry): boolean {
  return scan.unread.some((each) => {
    const name = each.path.slice(each.path.lastIndexOf("/") + 1);
    const id = /^(\S+?)(?: - .*)?\.md$/i.exec(name)?.[1] ?? "";
    return each.path === path || keyOf(id, scan.config.prefix) === key;
  });
}
