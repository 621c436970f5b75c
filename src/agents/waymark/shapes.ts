import { NO_USAGE } from "../../core/activity/usage.ts";
import { STATUSES } from "../../core/model.ts";
import type { StreamBase, StreamBody, StreamItem, WarningCode } from "../../core/stream/events.ts";
import { type Fields, fields, list } from "../common/values.ts";

/** The rule of a field. An optional field with an invalid value counts as absent. */
interface Field {
  readonly isValid: (value: unknown) => boolean;
  readonly required?: true;
}

type Shape = Readonly<Record<string, Field>>;

/** Exactly one rule for every field of a type. */
type ShapeOf<T> = Readonly<Record<Exclude<keyof T, "type">, Field>>;

const isText = (value: unknown) => typeof value === "string";
const isName = (value: unknown) => isText(value) && value !== "";
const isTexts = (value: unknown) => list(value)?.every(isText) === true;
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isUsage = (value: unknown) => {
  const given = fields(value);
  return given !== undefined && Object.keys(NO_USAGE).every((name) => isNumber(given[name]));
};
const oneOf = (values: readonly string[]) => (value: unknown) =>
  isText(value) && values.includes(value as string);

const optionalText: Field = { isValid: isText };
const optionalTexts: Field = { isValid: isTexts };
const optionalNumber: Field = { isValid: isNumber };
const anything: Field = { isValid: () => true };
const requiredText: Field = { isValid: isName, required: true };
const required = (isValid: Field["isValid"]): Field => ({ isValid, required: true });

export const BASE: ShapeOf<StreamBase> = {
  eventId: requiredText,
  sessionId: requiredText,
  agentId: requiredText,
  agentType: requiredText,
  timestamp: required(isNumber),
};

const ITEM: ShapeOf<StreamItem> = {
  text: required((value) => isText(value) && (value as string).trim() !== ""),
  status: required(oneOf(STATUSES)),
  raw: optionalText,
  id: optionalText,
  activeText: optionalText,
  phase: optionalText,
  notes: optionalTexts,
  priority: optionalText,
  parent: optionalText,
  blockedBy: optionalTexts,
  blocker: optionalText,
  owner: optionalText,
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
  callId: optionalText,
  name: optionalText,
  input: anything,
  output: optionalText,
  exitCode: optionalNumber,
  unsure: { isValid: (value) => value === true },
};

const TASK_END: ShapeOf<Body<"task.completed">> = { taskId: requiredText, summary: optionalText };

/** The body of an event type, also if several types share it. */
type Body<T, B = StreamBody> = B extends { readonly type: infer U }
  ? T extends U
    ? B
    : never
  : never;

const BODIES: { readonly [T in StreamBody["type"]]: ShapeOf<Body<T>> } = {
  todo_list: {
    todoId: requiredText,
    items: required((value) => Array.isArray(value)),
    explanation: optionalText,
    stepwise: { isValid: (value) => value === true },
    tool: optionalText,
  },
  "session.started": {
    cwd: optionalText,
    model: optionalText,
    version: optionalText,
    title: optionalText,
    parentId: optionalText,
    name: optionalText,
  },
  "session.ended": { reason: optionalText },
  "session.compacted": { trigger: optionalText },
  "turn.started": { prompt: optionalText },
  "turn.completed": {},
  "turn.failed": { message: required(isText) },
  "turn.cancelled": {},
  "turn.idle": {},
  message: { role: required(oneOf(["user", "assistant"])), text: required(isText) },
  "tool.started": { callId: optionalText, name: requiredText, input: anything },
  "tool.updated": { callId: optionalText, name: optionalText, output: optionalText },
  "tool.completed": TOOL_END,
  "tool.failed": TOOL_END,
  "input.requested": {
    kind: required(oneOf(["permission", "question", "plan"])),
    text: optionalText,
    tool: optionalText,
    callId: optionalText,
    input: anything,
  },
  "input.resolved": {},
  "task.started": {
    taskId: requiredText,
    title: optionalText,
    kind: { isValid: oneOf(["agent", "command"]) },
  },
  "task.completed": TASK_END,
  "task.failed": TASK_END,
  "plan.delta": { planId: requiredText, delta: required(isText) },
  "plan.proposed": { planId: requiredText, text: required(isText), path: optionalText },
  "plan.decided": {
    planId: requiredText,
    decision: required(oneOf(["approved", "rejected"])),
    comment: optionalText,
  },
  "mode.changed": { mode: required(oneOf(["work", "plan"])) },
  usage: { model: optionalText, usage: required(isUsage) },
  warning: {
    code: required(oneOf(Object.keys(CODES))),
    message: required(isText),
    partial: { isValid: (value) => value === true },
    file: optionalText,
    line: optionalNumber,
  },
};

export const SHAPES: Readonly<Record<string, Shape>> = BODIES;

interface Shaped {
  readonly value: Fields;
  /** The first required field that is missing or invalid. */
  readonly missing?: string;
}

/** Keeps the known fields with valid values, in their order. */
export function shaped(given: Fields, shape: Shape, warn?: (message: string) => void): Shaped {
  const value: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(given)) {
    const rule = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!rule?.isValid(field)) continue;
    value[key] = key === "items" && warn ? itemsOf(list(field) ?? [], warn) : field;
  }
  const missing = Object.keys(shape).find((key) => shape[key]?.required && !(key in value));
  return missing === undefined ? { value } : { value, missing };
}

function itemsOf(entries: readonly unknown[], warn: (message: string) => void): readonly Fields[] {
  return entries.flatMap((entry, index) => {
    const { value, missing } = shaped(fields(entry) ?? {}, ITEM);
    if (missing === undefined) return [value];
    warn(`entry ${index + 1} of the list has no valid ${missing}`);
    return [];
  });
}
