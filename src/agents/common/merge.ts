import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items } from "./values.ts";

/**
 * Applies a partial write to a list: an entry with a known id changes the fields it gives, any other entry is
 * appended.
 */
export function mergeItems(
  known: readonly StreamItem[],
  entries: readonly unknown[],
  shape: ItemShape,
  emit: Emit,
): StreamItem[] {
  const merged = [...known];
  const indexes = new Map(merged.map((item, index) => [item.id, index]));
  for (const entry of entries) {
    const given = fields(entry);
    const id = shape.id?.map((name) => given?.[name]).find((value) => value !== undefined);
    const index = id === undefined ? undefined : indexes.get(String(id));
    const former = index === undefined ? undefined : merged[index];
    if (!given || index === undefined || !former) {
      for (const item of items([entry], shape, emit)) {
        indexes.set(item.id, merged.length);
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
    merged[index] = statuses ? { ...rest, ...item } : { ...former, ...item, status: former.status };
  }
  return merged;
}
