import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items } from "./values.ts";

/**
 * A list after a write that only says what changed: entries with a known id change that item in
 * the fields they give, the others are added at the end.
 */
export function mergeItems(
  known: readonly StreamItem[],
  entries: readonly unknown[],
  shape: ItemShape,
  emit: Emit,
): StreamItem[] {
  const merged = [...known];
  const places = new Map(merged.map((item, place) => [item.id, place]));
  for (const entry of entries) {
    const given = fields(entry);
    const id = shape.id?.map((name) => given?.[name]).find((value) => value !== undefined);
    const place = id === undefined ? undefined : places.get(String(id));
    const former = place === undefined ? undefined : merged[place];
    if (!given || place === undefined || !former) {
      for (const item of items([entry], shape, emit)) {
        places.set(item.id, merged.length);
        merged.push(item);
      }
      continue;
    }
    const texts = shape.text.some((name) => typeof given[name] === "string" && given[name] !== "");
    const statuses = (shape.status ?? ["status"]).some((name) => given[name] !== undefined);
    const textField = shape.text[0] ?? "text";
    const [item] = items([texts ? given : { ...given, [textField]: former.text }], shape, emit);
    if (!item) continue;
    const { raw: _, ...rest } = former;
    merged[place] = statuses ? { ...rest, ...item } : { ...former, ...item, status: former.status };
  }
  return merged;
}
