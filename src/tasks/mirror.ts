import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, watch } from "node:fs";
import { basename, join } from "node:path";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { TaskFiles } from "./formats/format.ts";
import { mirrorOps } from "./formats/mirror-ops.ts";
import { inOrder } from "./formats/order.ts";
import type { Task, TaskDraft, TaskOp } from "./model.ts";
import type { TaskStore } from "./store.ts";

export interface MirrorOptions {
  readonly store: TaskStore;
  readonly format: TaskFiles;
  /** A folder of task files, or a folder of such folders. */
  readonly folder: string;
  readonly onProblem: (where: string, why: string) => void;
}

/** Mirrors an agent's task folders into the shared tasks. */
export interface Mirror {
  /** Reads everything that changed since the last call. */
  look(): Promise<void>;
  /** Keeps reading changes until it is stopped. */
  follow(): () => void;
}

const MAX_FILE = 4 * 1024 * 1024;
const EVERY = 1_000;
/** Lists without recent changes are read less often. */
const QUIET_AFTER = 3_600_000;
const QUIET_EVERY = 15;

interface Seen {
  /** State of the file when it was last imported: any difference triggers a new import. */
  readonly mark: string;
  readonly task: string;
}

export function mirrorTasks({ store, format, folder, onProblem }: MirrorOptions): Mirror {
  const sender = { by: "system", via: format.id } as const;
  const seen = new Map<string, Seen>();
  /** Ids of all imported tasks by ref. */
  const ids = new Map<string, string>();
  const touched = new Map<string, number>();
  const reported = new Set<string>();
  let round = 0;

  const tellOnce = (where: string, why: string): void => {
    const what = `${where} ${why}`;
    if (reported.has(what)) return;
    reported.add(what);
    onProblem(where, why);
  };
  const send = async (op: TaskOp, task: string, key: string): Promise<void> => {
    const answer = await store.apply(op, { ...sender, key });
    // Claimed by another owner, or blocked: the rules of the shared tasks take precedence.
    if (!answer.ok) tellOnce(task, answer.refused.message);
  };

  async function lookAt(list: string, dir: string): Promise<void> {
    const files = filesOf(dir, format.file);
    touched.set(dir, Math.max(0, ...files.map(({ at }) => at)));
    const drafts = new Map<string, TaskDraft>();
    const fresh: { readonly path: string; readonly mark: string; readonly draft: TaskDraft }[] = [];
    for (const { path, content, mark } of files) {
      const read = format.read([{ path: basename(path), content }], list);
      const [draft] = read.drafts;
      // The file may be half written: the next pass reads it whole.
      for (const { why } of read.skipped) if (isOld(path)) tellOnce(path, why);
      if (!draft?.ref) continue;
      drafts.set(draft.ref, draft);
      if (seen.get(path)?.mark !== mark) fresh.push({ path, mark, draft });
    }
    const gone = [...seen].filter(([path]) => path.startsWith(join(dir, "/")) && !isThere(path));
    if (fresh.length === 0 && gone.length === 0) return;

    const ordered = inOrder([...drafts.values()]).drafts;
    const known = new Map<string, Task>();
    if (ordered.length > 0) {
      const answer = await store.apply({ op: "add", tasks: ordered }, sender);
      if (!answer.ok) {
        tellOnce(list, answer.refused.message);
        return;
      }
      for (const [place, task] of answer.tasks.entries()) {
        const ref = ordered[place]?.ref ?? "";
        known.set(ref, task);
        ids.set(ref, task.id);
      }
    }
    for (const { path, mark, draft } of fresh) {
      const task = known.get(draft.ref ?? "");
      if (!task) continue;
      for (const op of mirrorOps(task, draft, list, ids))
        await send(op, task.id, `${draft.ref}:${mark}:${op.op}`);
      seen.set(path, { mark, task: task.id });
    }
    for (const [path, last] of gone) {
      await forget(last);
      seen.delete(path);
    }
  }

  /** The agent removes the files of a finished list; the file of an open task was deleted by its user. */
  async function forget({ task: id, mark }: Seen): Promise<void> {
    const task = await store.get(id);
    if (!task || task.status === "done" || task.status === "cancelled") return;
    const op = { op: "cancel", id, reason: `It was deleted in ${format.name}.` } as const;
    await send(op, id, `${task.ref}:${mark}:gone`);
  }

  async function look(): Promise<void> {
    const isLate = round++ % QUIET_EVERY === 0;
    const now = Date.now();
    for (const dir of listsIn(folder, format.file)) {
      const isQuiet = now - (touched.get(dir) ?? now) > QUIET_AFTER;
      if (isLate || !isQuiet) await lookAt(basename(dir), dir);
    }
  }

  return {
    look,
    follow() {
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      let working = false;
      const again = async (): Promise<void> => {
        clearTimeout(timer);
        if (working || isOver) return;
        working = true;
        try {
          await look();
        } catch (error) {
          tellOnce(folder, redactedMessage(error));
        }
        working = false;
        if (!isOver) timer = setTimeout(again, EVERY);
      };
      // A file event is only a hint that arrives sooner; the regular pass finds everything.
      const watcher = watch(folder, () => void again());
      watcher.on("error", () => watcher.close());
      void again();
      return () => {
        isOver = true;
        clearTimeout(timer);
        watcher.close();
      };
    },
  };
}

function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > 2 * EVERY;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The folder itself if it has task files, otherwise its subfolders. */
function listsIn(folder: string, file: RegExp): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const inner = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
  return entries.some(({ name }) => file.test(name)) || inner.length === 0 ? [folder] : inner;
}

function filesOf(dir: string, file: RegExp) {
  const names = isThere(dir) ? readdirSync(dir).filter((name) => file.test(name)) : [];
  return names.flatMap((name) => {
    const path = join(dir, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_FILE) return [];
    const content = readOrNothing(path);
    if (content === undefined) return [];
    const mark = createHash("sha256").update(`${stats.mtimeMs}\n${content}`).digest("hex");
    return [{ path, content, at: stats.mtimeMs, mark: mark.slice(0, 16) }];
  });
}

/** The folder may be removed between two passes. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
