import {
  DEFAULT_ATTEMPTS,
  DEFAULT_PRIORITY,
  type Task,
  type TaskDraft,
  type TaskFields,
  type TaskSender,
  taskId,
} from "../model.ts";
import { type EventDraft, refuse, type TaskDecision } from "./decision.ts";
import { findCycle } from "./graph.ts";
import { canonical, type Slice } from "./needs.ts";
import { cycleOf, notFound } from "./refusals.ts";

interface Placed {
  readonly draft: TaskDraft;
  readonly id: string;
}

/** A draft with a known ref adds nothing; the answer shows the existing task. */
export function decideAdd(
  drafts: readonly TaskDraft[],
  sender: TaskSender,
  slice: Slice,
): TaskDecision {
  const own = new Map<string, string>();
  const placed: Placed[] = [];
  const about: string[] = [];
  for (const draft of drafts) {
    const { ref, name } = draft;
    const known = ref === undefined ? undefined : (slice.byRef.get(ref)?.id ?? own.get(ref));
    const id = known ?? taskId(slice.numberAt(placed.length));
    if (ref !== undefined) own.set(ref, id);
    if (name !== undefined && !own.has(name)) own.set(name, id);
    if (known === undefined) placed.push({ draft, id });
    about.push(id);
  }
  const resolve = (name: string) =>
    own.get(name) ?? (slice.byId.get(canonical(name)) ?? slice.byRef.get(name))?.id;

  const events: EventDraft[] = [];
  const blockers = new Map(slice.blockers);
  const parents = new Map(slice.parents);
  const waiting: string[] = [];
  const below: string[] = [];
  for (const { draft, id } of placed) {
    const names = draft.blockedBy ?? [];
    const found = names.map(resolve);
    const missing = names.find((_, place) => found[place] === undefined);
    if (missing !== undefined) return refuse(notFound(missing));
    const ids = [...new Set(found.filter((each) => each !== undefined))];
    const parent = draft.parent === undefined ? undefined : resolve(draft.parent);
    if (draft.parent !== undefined && parent === undefined) return refuse(notFound(draft.parent));
    if (ids.length > 0) {
      blockers.set(id, ids);
      waiting.push(id);
    }
    if (parent !== undefined) {
      parents.set(id, [parent]);
      below.push(id);
    }
    const set = fieldsOf(draft, sender, ids, parent, slice.now);
    events.push({ type: "added", task: id, set });
  }
  // Report names, which the sender knows, instead of ids of tasks that will not exist.
  const names = new Map(placed.map(({ draft, id }) => [id, draft.name ?? id]));
  const called = (id: string) => names.get(id) ?? id;
  const cycle = findCycle(blockers, waiting);
  if (cycle) return refuse(cycleOf(cycle.map(called), "blockers"));
  const loop = findCycle(parents, below);
  if (loop) return refuse(cycleOf(loop.map(called), "parents"));
  return { ok: true, events, about };
}

function fieldsOf(
  draft: TaskDraft,
  sender: TaskSender,
  blockedBy: readonly string[],
  parent: string | undefined,
  now: number,
): TaskFields {
  const { subject, description, activeText, ref, owner, reason, status = "open" } = draft;
  const author = draft.author ?? sender.actor;
  const closed = status !== "open";
  const made: Omit<Task, "id" | "updatedAt" | "lapsed"> = {
    subject,
    ...(description !== undefined && { description }),
    ...(activeText !== undefined && { activeText }),
    status,
    priority: draft.priority ?? DEFAULT_PRIORITY,
    labels: draft.labels ?? [],
    ...(parent !== undefined && { parent }),
    blockedBy,
    ...(closed && owner !== undefined && { owner }),
    epoch: 0,
    attempts: 0,
    maxAttempts: draft.maxAttempts ?? DEFAULT_ATTEMPTS,
    ...(draft.notBefore !== undefined && { notBefore: draft.notBefore }),
    ...(draft.deadline !== undefined && { deadline: draft.deadline }),
    evidence: draft.evidence ?? [],
    ...(draft.check !== undefined && { check: draft.check }),
    ...(reason !== undefined && { reason }),
    metadata: draft.metadata ?? {},
    ...(ref !== undefined && { ref }),
    ...(author !== undefined && { author }),
    createdAt: draft.createdAt ?? now,
    ...(closed && { finishedAt: draft.finishedAt ?? now }),
  };
  return made;
}
