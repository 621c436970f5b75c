import { fieldsOfFile, phaseIn } from "../files/fields.ts";
import { isBase } from "../files/merge.ts";
import { joinSections } from "../formats/backlog/sections.ts";
import { present, priority, text, time } from "../formats/fields.ts";
import { inOrder } from "../formats/order.ts";
import type { TaskDraft } from "../model.ts";
import { taskAt } from "../rules/task-at.ts";
import { SENDER } from "./apply.ts";
import { type KeyedFile, keyOf, refOf } from "./links.ts";
import type { Pass } from "./sync.ts";

const BATCH = 500;

/** Adds the tasks of files that have none. Returns their ids. */
export async function addNewTasks(pass: Pass): Promise<ReadonlySet<string>> {
  const { origin, scan, links, fileIds, changes, refused, options, table } = pass;
  const [source = ""] = origin.sources;
  const fresh = pass.files.filter((each) => !links.has(each.key) && !isPruned(pass, each));
  const added = new Set<string>();
  if (options.dryRun) {
    for (const { path } of fresh) changes.push({ change: "added task", file: path });
    return added;
  }
  const byRef = new Map(fresh.map((each) => [refOf(source, each.key), each]));
  const refFor = (fileId: string) => refOf(source, keyOf(fileId, scan.config.prefix));
  const drafts = [...byRef].map(([ref, file]) => {
    const ties = file.file.dependencies
      .map(refFor)
      .filter((each) => byRef.has(each) && each !== ref);
    const parent = file.file.parent === undefined ? undefined : refFor(file.file.parent);
    return draftOf(
      pass,
      file,
      ref,
      ties,
      parent !== undefined && byRef.has(parent) ? parent : undefined,
    );
  });
  const ordered = inOrder(drafts).drafts.map((draft) => withKnown(pass, draft, byRef));
  for (let done = 0; done < ordered.length; done += BATCH)
    await addBatch(pass, ordered.slice(done, done + BATCH), (draft, id) => {
      const file = byRef.get(draft.ref ?? "");
      if (!file) return;
      links.set(file.key, id);
      fileIds.set(id, file.file.id);
      added.add(id);
      changes.push({ change: "added task", task: id, file: file.path });
    });
  return added;

  async function addBatch(
    { options: { store } }: Pass,
    batch: readonly TaskDraft[],
    onAdded: (draft: TaskDraft, id: string) => void,
  ): Promise<void> {
    const answer = await store.apply({ op: "add", tasks: batch }, SENDER);
    if (answer.ok) {
      for (const [place, task] of answer.tasks.entries()) {
        const draft = batch[place];
        table.byId.set(task.id, taskAt(task, table.now));
        if (draft) onAdded(draft, task.id);
      }
      return;
    }
    const [draft] = batch;
    if (batch.length === 1 && draft) {
      const file = byRef.get(draft.ref ?? "")?.path ?? "";
      refused.push({ file, message: answer.refused.short ?? answer.refused.message });
      return;
    }
    // One of them is invalid; the others are added without it.
    for (const each of batch) {
      const names = new Set(batch.filter(({ ref }) => ref !== each.ref).map(({ ref }) => ref));
      const isKnown = (ref: string) => !names.has(ref) || links.has(byRef.get(ref)?.key ?? "");
      const { parent, ...rest } = each;
      const safe = {
        ...rest,
        blockedBy: (each.blockedBy ?? []).filter(isKnown),
        ...(parent !== undefined && isKnown(parent) && { parent }),
      };
      await addBatch(pass, [safe], onAdded);
    }
  }
}

/** A closed task that was pruned from the store stays a file. */
function isPruned({ bases, table, scan, idOf }: Pass, file: KeyedFile): boolean {
  const found = Object.entries(bases).find(
    ([id, { key }]) => key === file.key && !table.byId.has(id),
  );
  const state = found?.[1].base.texts.state;
  if (!found || state === undefined || phaseIn(state) === "open") return false;
  const fields = fieldsOfFile(file.file, file.place, scan.config, { idOf, state });
  return fields.texts.state === state && isBase({ ...found[1].base, sets: fields.sets }, fields);
}

function draftOf(
  { scan, idOf }: Pass,
  { file, place }: KeyedFile,
  ref: string,
  blockedBy: readonly string[],
  parent: string | undefined,
): TaskDraft {
  const { texts, sets } = fieldsOfFile(file, place, scan.config, { idOf });
  const key = (name: string) => file.front.entries.find((each) => each.key === name)?.value;
  const phase = phaseIn(texts.state);
  const status = phase === "done" || phase === "cancelled" ? phase : "open";
  return present<TaskDraft>({
    subject: texts.title,
    description: joinSections(texts),
    priority: priority(file.priority),
    labels: sets.labels,
    parent,
    blockedBy,
    ref,
    author: text(key("reporter")),
    status,
    createdAt: time(key("created_date")),
    finishedAt: status === "open" ? undefined : time(key("updated_date")),
  });
}

/** Adds the dependencies on tasks that are in the store already. */
function withKnown(
  { idOf }: Pass,
  draft: TaskDraft,
  byRef: ReadonlyMap<string, KeyedFile>,
): TaskDraft {
  const file = byRef.get(draft.ref ?? "")?.file;
  if (!file) return draft;
  const known = file.dependencies.flatMap((each) => idOf(each) ?? []);
  const parent = draft.parent ?? (file.parent === undefined ? undefined : idOf(file.parent));
  return {
    ...draft,
    blockedBy: [...(draft.blockedBy ?? []), ...known],
    ...(parent !== undefined && { parent }),
  };
}
