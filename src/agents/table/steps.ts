import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items, list, number, text } from "../common/values.ts";
import { at } from "./paths.ts";
import type { ListShape, StepShape } from "./table.ts";

/** A list after a write. */
export interface ListAfter {
  readonly items: readonly StreamItem[];
  /** Assembled from the known list and a change. */
  readonly stepwise?: true;
}

/**
 * The list after a command that refers to entries by index. Taken from the state that the result repeats, or computed
 * from the known list.
 */
export function afterCommand(
  known: readonly StreamItem[],
  shape: ListShape,
  input: unknown,
  output: string,
  emit: Emit,
): ListAfter | undefined {
  const { steps, item = { text: ["text"] } } = shape;
  if (!steps) return undefined;
  const state = list(at(stateIn(output), steps.state));
  if (state) return { items: items(state, item, emit) };
  const found = applied(known, steps, item, shape, input, emit);
  const created = text(at(input, shape.command?.at ?? "command")) === "create";
  return found && { items: found, ...(!created && { stepwise: true }) };
}

/** The JSON object in a text. */
function stateIn(output: string): unknown {
  const start = output.indexOf("{");
  const end = output.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return fields(JSON.parse(output.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}

function applied(
  known: readonly StreamItem[],
  steps: StepShape,
  item: ItemShape,
  shape: ListShape,
  input: unknown,
  emit: Emit,
): readonly StreamItem[] | undefined {
  const command = text(at(input, shape.command?.at ?? "command"));
  const indexes = (path: string) =>
    (list(at(input, path)) ?? []).map(number).filter((index) => index !== undefined);
  switch (command) {
    case "create":
      return items(list(at(input, steps.create)) ?? [], item, emit);
    case "complete": {
      const done = new Set(indexes(steps.complete));
      return known.map((entry, index) =>
        done.has(index) ? { ...entry, status: "completed" } : entry,
      );
    }
    case "remove": {
      const removed = new Set(indexes(steps.remove));
      return known.filter((_, index) => !removed.has(index));
    }
    case "add": {
      const positions = indexes(steps.insertAt);
      const after = [...known];
      items(list(at(input, steps.add)) ?? [], item, emit).forEach((entry, index) => {
        after.splice(positions[index] ?? after.length, 0, entry);
      });
      return after;
    }
    default:
      return undefined;
  }
}
