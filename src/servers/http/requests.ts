import { type Draft, type Op, STATUSES, type Status } from "../../core/model.ts";
import { isRecord } from "../../core/values.ts";
import {
  type EditBase,
  type OpsRequest,
  PLAN_DECISIONS,
  type PlanRequest,
  type PromoteRequest,
} from "../../core/wire.ts";
import { type Field, fits, hasOnly, isKey, isText, isTextOrNull, isTexts } from "./fields.ts";
import { badInput } from "./routes.ts";

/** Request bodies of the list and plan routes. A page may do less than an agent's tool; unknown ops are refused. */

const MAX_OPS = 500;
const NOT_AN_OBJECT = "The body must be a JSON object.";

const isStatus: Field = (value) => STATUSES.includes(value as Status);
const isTarget: Field = (value) => fits(value, { any: isText });

const TODO: Readonly<Record<string, Field>> = {
  text: isText,
  status: isStatus,
  activeText: isTextOrNull,
  phase: isTextOrNull,
  priority: isTextOrNull,
  notes: (value) => value === null || isTexts(value),
  blocker: isTextOrNull,
};

const isDrafts: Field = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (draft: unknown) => isRecord(draft) && hasOnly(draft, TODO) && isText((draft as Draft).text),
  );

const target = { target: isTarget };

/** The fields of every op; all are required except those in `OPTIONAL`. */
const OPS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  add: { todos: isDrafts },
  start: target,
  finish: { ...target, evidence: isText },
  drop: { ...target, evidence: isText },
  reopen: target,
  block: { ...target, reason: isText },
  unblock: target,
  remove: target,
  note: { ...target, text: isText },
  edit: { ...target, set: (value) => isRecord(value) && hasOnly(value, TODO) },
  move: { ...target, to: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
};
const OPTIONAL = new Set(["evidence", "reason"]);

export function readOps(body: unknown): OpsRequest {
  if (!isRecord(body)) throw badInput(NOT_AN_OBJECT);
  const { ops, key, base, ...more } = body;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw badInput(`Unknown field "${unknown.slice(0, 40)}".`);
  if (!Array.isArray(ops) || ops.length === 0 || ops.length > MAX_OPS)
    throw badInput(`ops must be an array of 1 to ${MAX_OPS} ops.`);
  if (!isKey(key)) throw badInput("key must be a string that is unique to this request.");
  if (base !== undefined && !(isRecord(base) && Object.values(base).every(isRecord)))
    throw badInput("base must map todo ids to todos.");
  for (const [index, op] of ops.entries())
    if (!isOp(op)) throw badInput(`ops[${index}] is not a valid op.`);
  return {
    ops: ops as Op[],
    key: key as string,
    ...(base !== undefined && { base: base as EditBase }),
  };
}

function isOp(value: unknown): value is Op {
  if (!isRecord(value)) return false;
  const { op, ...fields } = value;
  const shape = typeof op === "string" && Object.hasOwn(OPS, op) ? OPS[op] : undefined;
  if (!shape || !hasOnly(fields, shape)) return false;
  return Object.keys(shape).every((name) => OPTIONAL.has(name) || name in fields);
}

export function readPlanRequest(body: unknown): PlanRequest {
  if (!isRecord(body)) throw badInput(NOT_AN_OBJECT);
  const shape = {
    decision: (value: unknown) => PLAN_DECISIONS.some((each) => each === value),
    comment: isText,
    step: (value: unknown) => Number.isSafeInteger(value),
    seen: isKey,
    key: isKey,
  };
  if (!hasOnly(body, shape) || !("decision" in body))
    throw badInput(
      `decision must be one of ${PLAN_DECISIONS.join(", ")}. Optional fields: comment, step, seen, key.`,
    );
  return body as unknown as PlanRequest;
}

export function readPromoteRequest(body: unknown): PromoteRequest {
  if (!fits(body, { todo: isText }))
    throw badInput("The body must be { todo } with the id of a todo.");
  return body as unknown as PromoteRequest;
}
