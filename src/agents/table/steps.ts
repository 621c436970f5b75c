import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items, list, number, text } from "../common/values.ts";
import { at } from "./paths.ts";
import type { ListShape, StepShape } from "./table.ts";

/** A list after a write. */
export interface After {
  readonly items: readonly StreamItem[];
  /** Put together from what was known before. */
  readonly stepwise?: true;
}

/**
 * A list after a command that names its entries by their places. The result repeats the whole state;
 * where it cannot be found there, the command is applied to what was known.
 */
export function afterCommand(
  known: readonly StreamItem[],
  shape: ListShape,
  input: unknown,
  output: string,
  emit: Emit,
): After | undefined {
  const { steps, item = { text: ["text"] } } = shape;
  if (!steps) return undefined;
  const state = list(at(stateIn(output), steps.state));
  if (state) return { items: items(state, item, emit) };
  const found = applied(known, steps, item, shape, input, emit);
  const created = text(at(input, shape.command?.at ?? "command")) === "create";
  return found && { items: found, ...(!created && { stepwise: true }) };
}

/** The first whole JSON object in a text. */
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
  const places = (path: string) =>
    (list(at(input, path)) ?? []).map(number).filter((place) => place !== undefined);
  switch (command) {
    case "create":
      return items(list(at(input, steps.create)) ?? [], item, emit);
    case "complete": {
      const done = new Set(places(steps.complete));
      return known.map((entry, place) =>
        done.has(place) ? { ...entry, status: "completed" } : entry,
      );
    }
    case "remove": {
      const gone = new Set(places(steps.remove));
      return known.filter((_, place) => !gone.has(place));
    }
    case "add": {
      const where = places(steps.insertAt);
      const after = [...known];
      items(list(at(input, steps.add)) ?? [], item, emit).forEach((entry, index) => {
        after.splice(where[index] ?? after.length, 0, entry);
      });
      return after;
    }
    default:
      return undefined;
  }
}
