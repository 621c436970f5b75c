import { STATUSES } from "../../core/model.ts";
import type { StreamBase, StreamBody, StreamItem, WarningCode } from "../../core/stream/events.ts";
import { type Fields, fields, list } from "../common/values.ts";

/** What a field must be. A field that may be absent and is not what it must be counts as absent. */
interface Field {
  readonly fits: (value: unknown) => boolean;
  readonly required?: true;
}

type Shape = Readonly<Record<string, Field>>;

/** Every field of a type has its rule, and no others have one. */
type ShapeOf<T> = Readonly<Record<Exclude<keyof T, "type">, Field>>;

const isText = (value: unknown) => typeof value === "string";
const isName = (value: unknown) => isText(value) && value !== "";
const isTexts = (value: unknown) => list(value)?.every(isText) === true;
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const oneOf = (values: readonly string[]) => (value: unknown) =>
  isText(value) && values.includes(value as string);

const word: Field = { fits: isText };
const words: Field = { fits: isTexts };
const amount: Field = { fits: isNumber };
const anything: Field = { fits: () => true };
const name: Field = { fits: isName, required: true };
const must = (fits: Field["fits"]): Field => ({ fits, required: true });

export const BASE: ShapeOf<StreamBase> = {
  eventId: name,
  sessionId: name,
  agentId: name,
  agentType: name,
  timestamp: must(isNumber),
};

const ITEM: ShapeOf<StreamItem> = {
  text: must((value) => isText(value) && (value as string).trim() !== ""),
  status: must(oneOf(STATUSES)),
  raw: word,
  id: word,
  activeText: word,
  phase: word,
  notes: words,
  priority: word,
  parent: word,
  blockedBy: words,
  blocker: word,
  owner: word,
};

const CODES = {
  list_rejected: true,
  list_unknown: true,
  bad_item: true,
  bad_line: true,
  too_large: true,
  unknown_record: true,
  unreadable: true,
} as const satisfies Record<WarningCode, true>;

const TOOL_END: ShapeOf<Body<"tool.completed">> = {
  callId: word,
  name: word,
  input: anything,
  output: word,
  exitCode: amount,
  unsure: { fits: (value) => value === true },
};

const TASK_END: ShapeOf<Body<"task.completed">> = { taskId: name, summary: word };

/** Also where one form has two types. */
type Body<T, B = StreamBody> = B extends { readonly type: infer U }
  ? T extends U
    ? B
    : never
  : never;

const BODIES: { readonly [T in StreamBody["type"]]: ShapeOf<Body<T>> } = {
  todo_list: {
    todoId: name,
    items: must((value) => Array.isArray(value)),
    explanation: word,
    stepwise: { fits: (value) => value === true },
    tool: word,
  },
  "session.started": {
    cwd: word,
    model: word,
    version: word,
    title: word,
    parentId: word,
    name: word,
  },
  "session.ended": { reason: word },
  "session.compacted": { trigger: word },
  "turn.started": { prompt: word },
  "turn.completed": {},
  "turn.failed": { message: must(isText) },
  "turn.cancelled": {},
  "turn.idle": {},
  message: { role: must(oneOf(["user", "assistant"])), text: must(isText) },
  "tool.started": { callId: word, name, input: anything },
  "tool.updated": { callId: word, name: word, output: word },
  "tool.completed": TOOL_END,
  "tool.failed": TOOL_END,
  "input.requested": {
    kind: must(oneOf(["permission", "question", "plan"])),
    text: word,
    tool: word,
    callId: word,
    input: anything,
  },
  "input.resolved": {},
  "task.started": { taskId: name, title: word, kind: { fits: oneOf(["agent", "command"]) } },
  "task.completed": TASK_END,
  "task.failed": TASK_END,
  "plan.delta": { planId: name, delta: must(isText) },
  "plan.proposed": { planId: name, text: must(isText), path: word },
  "plan.decided": {
    planId: name,
    decision: must(oneOf(["approved", "rejected"])),
    comment: word,
  },
  "mode.changed": { mode: must(oneOf(["work", "plan"])) },
  warning: {
    code: must(oneOf(Object.keys(CODES))),
    message: must(isText),
    partial: { fits: (value) => value === true },
    file: word,
    line: amount,
  },
};

export const SHAPES: Readonly<Record<string, Shape>> = BODIES;

interface Shaped {
  readonly value: Fields;
  /** The first field that must be there and is not, or is not what it must be. */
  readonly missing?: string;
}

/** The known fields that are what they must be, in the order in which they came. */
export function shaped(given: Fields, shape: Shape, say?: (message: string) => void): Shaped {
  const value: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(given)) {
    const rule = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!rule?.fits(field)) continue;
    value[key] = key === "items" && say ? itemsOf(list(field) ?? [], say) : field;
  }
  const missing = Object.keys(shape).find((key) => shape[key]?.required && !(key in value));
  return missing === undefined ? { value } : { value, missing };
}

function itemsOf(entries: readonly unknown[], say: (message: string) => void): readonly Fields[] {
  return entries.flatMap((entry, index) => {
    const { value, missing } = shaped(fields(entry) ?? {}, ITEM);
    if (missing === undefined) return [value];
    say(`entry ${index + 1} of the list has no valid ${missing}`);
    return [];
  });
}
