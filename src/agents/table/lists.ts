import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit, EventContext } from "../agent.ts";
import { hashOf, recall, remember, shorten } from "../common/memory.ts";
import { mergeItems } from "../common/merge.ts";
import { items, list, number, parsed, text } from "../common/values.ts";
import type { Result } from "./calls.ts";
import { checklist } from "./checklist.ts";
import { at, matches } from "./paths.ts";
import type { RowState } from "./state.ts";
import { afterCommand, type ListAfter } from "./steps.ts";
import type { ListShape, Row, Snapshot } from "./table.ts";

const MAX_KEPT_ITEMS = 1_000;

/** Emits the list after the result of a list call. */
export function readWrite(
  row: Row,
  state: RowState,
  result: Result,
  context: EventContext,
  emit: Emit,
): void {
  const shape = row.list;
  const { input, output = "" } = result;
  if (result.failed || shape?.refused?.test(output)) {
    const message = shorten(output || "the write failed", 200);
    emit({ type: "warning", code: "list_rejected", message }, context);
    return;
  }
  if (!shape) return;
  const warn: Emit = (body) => emit(body, { ...context, key: undefined });
  const command = shape.command && text(at(input, shape.command.at) ?? at(result.data, "command"));
  if (shape.command && !shape.command.writes.includes(command ?? "")) return;
  if (shape.requires && !matches(input, shape.requires)) return;
  const after = listAfter(state, shape, result, warn);
  if (after === undefined) return;
  if (after === "unknown") {
    emit(
      {
        type: "warning",
        code: "list_unknown",
        message: "the list was written, but the record does not contain it",
      },
      context,
    );
    return;
  }
  const explanation = shape.explanation && text(at(input, shape.explanation));
  emitList(state, after, explanation, context, emit);
  // The state after the call repeats its list.
  if (row.snapshots) remember(state.done, "snapshot", hashOf(at(input, shape.args)));
}

/** Returns undefined if the call only reads. */
function listAfter(
  state: RowState,
  shape: ListShape,
  { input, data, output }: Result,
  emit: Emit,
): ListAfter | "unknown" | undefined {
  if (shape.kind === "steps")
    return afterCommand(state.known, shape, input, output ?? "", emit) ?? "unknown";
  const item = shape.item ?? { text: ["text"] };
  const shown = shape.data === undefined ? undefined : list(at(data, shape.data));
  if (shown) return { items: items(shown, item, emit) };
  const given = at(input, shape.args);
  if (given == null) return undefined;
  if (shape.kind === "markdown") {
    if (typeof given !== "string") return undefined;
    const found = checklist(given, shape.markers ?? {}, emit);
    return found.length === 0 && given.trim() !== "" ? "unknown" : { items: found };
  }
  const entries = list(parsed(given));
  if (!entries) return undefined;
  return shape.merge !== undefined && at(input, shape.merge) === true
    ? { items: mergeItems(state.known, entries, item, emit), stepwise: true }
    : { items: items(entries, item, emit) };
}

/** Emits the list of a record that has the whole list. */
export function readSnapshot(
  state: RowState,
  snapshot: Snapshot,
  value: unknown,
  context: EventContext,
  emit: Emit,
): void {
  if (snapshot.unless && matches(value, snapshot.unless)) return;
  const inside = snapshot.inside === undefined ? value : parsed(at(value, snapshot.inside));
  if (snapshot.insideWhen && !matches(inside, snapshot.insideWhen)) return;
  const given = at(inside, snapshot.list);
  const hash = hashOf(at(value, snapshot.list) ?? given);
  const ownKey = snapshot.key === undefined ? undefined : at(value, snapshot.key);
  const count = Number(recall(state.done, "snapshots") ?? 0);
  const key = ownKey === undefined ? `${count + 1}-${hash}` : String(ownKey);
  // A record with a key counts once. A record without one counts whenever its content changes.
  const slot = ownKey === undefined ? "snapshot" : `snapshot ${key}`;
  if (recall(state.done, slot) === hash) return;
  const warn: Emit = (body) => emit(body, context);
  const found =
    snapshot.kind === "markdown"
      ? typeof given === "string" && checklist(given, snapshot.markers ?? {}, warn)
      : list(given) && items(list(given) ?? [], snapshot.item ?? { text: ["text"] }, warn);
  if (!found) return;
  remember(state.done, "snapshots", String(count + 1));
  remember(state.done, slot, hash);
  const time = number(at(value, snapshot.at ?? "timestamp"));
  const keyed = { ...context, key, ...(time !== undefined && { at: time }) };
  emitList(state, { items: withBlockers(found, snapshot, value) }, undefined, keyed, emit);
}

function withBlockers(
  found: readonly StreamItem[],
  { blockers }: Snapshot,
  value: unknown,
): readonly StreamItem[] {
  if (!blockers) return found;
  const blockersById = new Map<string, string[]>();
  for (const edge of list(at(value, blockers.list)) ?? []) {
    const item = text(at(edge, blockers.item));
    const on = text(at(edge, blockers.on));
    if (item === undefined || on === undefined) continue;
    const known = blockersById.get(item);
    if (known) known.push(on);
    else blockersById.set(item, [on]);
  }
  return found.map((item) => {
    const blockedBy = blockersById.get(item.id ?? "");
    return blockedBy ? { ...item, blockedBy } : item;
  });
}

function emitList(
  state: RowState,
  after: ListAfter,
  explanation: string | undefined,
  context: EventContext,
  emit: Emit,
): void {
  state.known = after.items.slice(0, MAX_KEPT_ITEMS);
  emit(
    {
      type: "todo_list",
      todoId: `${state.session || "unknown"}-main`,
      ...after,
      ...(explanation && { explanation }),
    },
    context,
  );
}
