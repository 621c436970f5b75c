import type { StreamItem } from "../../core/stream/events.ts";
import type { About, Emit } from "../agent.ts";
import { printOf, recall, remember, shorten } from "../common/memory.ts";
import { mergeItems } from "../common/merge.ts";
import { items, list, number, parsed, text } from "../common/values.ts";
import type { Result } from "./calls.ts";
import { checklist } from "./checklist.ts";
import { at, fits } from "./paths.ts";
import type { RowState } from "./state.ts";
import { type After, afterCommand } from "./steps.ts";
import type { ListShape, Row, Snapshot } from "./table.ts";

const MAX_KEPT_ITEMS = 1_000;

/** What the result of a call of the list tool means. */
export function readWrite(row: Row, state: RowState, result: Result, who: About, emit: Emit): void {
  const shape = row.list;
  if (!shape) return;
  const { input, output = "" } = result;
  if (result.failed || shape.refused?.test(output)) {
    const message = shorten(output || "the write failed", 200);
    emit({ type: "warning", code: "list_rejected", message }, who);
    return;
  }
  const said: Emit = (body) => emit(body, { ...who, key: undefined });
  const command = shape.command && text(at(input, shape.command.at) ?? at(result.data, "command"));
  if (shape.command && !shape.command.writes.includes(command ?? "")) return;
  if (shape.with && !fits(input, shape.with)) return;
  const after = listAfter(state, shape, result, said);
  if (after === undefined) return;
  if (after === "unknown") {
    emit(
      { type: "warning", code: "list_unknown", message: "a list was written that is not shown" },
      who,
    );
    return;
  }
  const explanation = shape.explanation && text(at(input, shape.explanation));
  emitList(state, after, explanation, who, emit);
}

/** Nothing where the call only reads. */
function listAfter(
  state: RowState,
  shape: ListShape,
  { input, data, output }: Result,
  emit: Emit,
): After | "unknown" | undefined {
  if (shape.kind === "steps")
    return afterCommand(state.known, shape, input, output ?? "", emit) ?? "unknown";
  const item = shape.item ?? { text: ["text"] };
  const told = shape.data === undefined ? undefined : list(at(data, shape.data));
  if (told) return { items: items(told, item, emit) };
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

/** A record that carries the whole list. */
export function readSnapshot(
  state: RowState,
  snapshot: Snapshot,
  value: unknown,
  who: About,
  emit: Emit,
): void {
  if (snapshot.unless && fits(value, snapshot.unless)) return;
  const inside = snapshot.inside === undefined ? value : parsed(at(value, snapshot.inside));
  if (snapshot.insideWhen && !fits(inside, snapshot.insideWhen)) return;
  const given = at(inside, snapshot.list);
  const print = printOf(at(value, snapshot.list) ?? given);
  const stamp = snapshot.key === undefined ? undefined : at(value, snapshot.key);
  const count = Number(recall(state.done, "snapshots") ?? 0);
  const key = stamp === undefined ? `${count + 1}-${print}` : String(stamp);
  // A record with a mark of its own counts once; one without, whenever it says something else.
  const slot = stamp === undefined ? "snapshot" : `snapshot ${key}`;
  if (recall(state.done, slot) === print) return;
  const said: Emit = (body) => emit(body, who);
  const found =
    snapshot.kind === "markdown"
      ? typeof given === "string" && checklist(given, snapshot.markers ?? {}, said)
      : list(given) && items(list(given) ?? [], snapshot.item ?? { text: ["text"] }, said);
  if (!found) return;
  remember(state.done, "snapshots", String(count + 1));
  remember(state.done, slot, print);
  const time = number(at(value, snapshot.at ?? "timestamp"));
  const about = { ...who, key, ...(time !== undefined && { at: time }) };
  emitList(state, { items: withBlockers(found, snapshot, value) }, undefined, about, emit);
}

function withBlockers(
  found: readonly StreamItem[],
  { blockers }: Snapshot,
  value: unknown,
): readonly StreamItem[] {
  if (!blockers) return found;
  const waits = new Map<string, string[]>();
  for (const edge of list(at(value, blockers.list)) ?? []) {
    const item = text(at(edge, blockers.item));
    const on = text(at(edge, blockers.on));
    if (item === undefined || on === undefined) continue;
    const known = waits.get(item);
    if (known) known.push(on);
    else waits.set(item, [on]);
  }
  return found.map((item) => {
    const blockedBy = waits.get(item.id ?? "");
    return blockedBy ? { ...item, blockedBy } : item;
  });
}

function emitList(
  state: RowState,
  after: After,
  explanation: string | undefined,
  who: About,
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
    who,
  );
}
