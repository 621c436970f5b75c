import { isRecord } from "../../../core/values.ts";
import { PRIORITIES, type Priority } from "../../../tasks/model.ts";
import type { QueueRequest, TaskRequest, UserTaskOp } from "../../../tasks/wire.ts";
import { type Field, fits, isKey, isText, isTextOrNull, isTexts } from "../fields.ts";
import { badInput } from "../routes.ts";

/** Request bodies of the task routes. A page may do less than the command line; unknown ops are refused. */

const isTrue: Field = (value) => value === true;
const isPriority: Field = (value) => PRIORITIES.includes(value as Priority);
const CLAIM = { id: isText, epoch: Number.isSafeInteger };
const isClaim: Field = (value) =>
  Array.isArray(value) && value.length === 1 && fits(value[0], CLAIM);
/** An unclaimed task has no epoch. */
const isClaimOrFree: Field = (value) =>
  Array.isArray(value) && value.length === 1 && fits(value[0], CLAIM, ["epoch"]);

const DRAFT = {
  subject: isText,
  description: isText,
  priority: isPriority,
  labels: isTexts,
  parent: isText,
  blockedBy: isTexts,
  check: isText,
};
const EDIT = {
  subject: isText,
  description: isTextOrNull,
  priority: isPriority,
  labels: isTexts,
  parent: isTextOrNull,
  addBlockedBy: isTexts,
  removeBlockedBy: isTexts,
  check: isTextOrNull,
};
const BASE = { subject: isText, description: isTextOrNull };
const owned = { owner: isText, held: isClaim };

const OPS: Readonly<
  Record<UserTaskOp["op"], { shape: Readonly<Record<string, Field>>; optional?: readonly string[] }>
> = {
  add: {
    shape: {
      tasks: (value) =>
        Array.isArray(value) &&
        value.length === 1 &&
        fits(
          value[0],
          DRAFT,
          Object.keys(DRAFT).filter((field) => field !== "subject"),
        ),
    },
  },
  edit: {
    shape: {
      id: isText,
      set: (value) => fits(value, EDIT, Object.keys(EDIT)),
      base: (value) => fits(value, BASE, Object.keys(BASE)),
    },
    optional: ["base"],
  },
  assign: {
    shape: {
      id: isText,
      owner: isText,
      from: (value) => fits(value, { owner: isText, epoch: Number.isSafeInteger }),
    },
    optional: ["from"],
  },
  release: { shape: { ...owned, reason: isText }, optional: ["reason"] },
  renew: { shape: owned },
  finish: {
    shape: { owner: isText, held: isClaimOrFree, evidence: isTexts, force: isTrue },
    optional: ["evidence", "force"],
  },
  reopen: { shape: { id: isText } },
  cancel: { shape: { id: isText, reason: isText }, optional: ["reason"] },
};

const QUEUE = {
  paused: (value: unknown) => typeof value === "boolean",
  reason: isText,
  key: isKey,
};

export function readQueueRequest(body: unknown): QueueRequest {
  if (!fits(body, QUEUE, ["reason", "key"]))
    throw badInput("The body must be { paused, reason }, with true or false for paused.");
  return body as unknown as QueueRequest;
}

export function readTaskRequest(body: unknown): TaskRequest {
  if (!fits(body, { op: isRecord, key: isKey }))
    throw badInput("The body must be { op, key } with a key that is unique to this request.");
  const { op, key } = body as unknown as { op: { op?: unknown }; key: string };
  const { op: name, ...fields } = op;
  const known =
    typeof name === "string" && Object.hasOwn(OPS, name)
      ? OPS[name as UserTaskOp["op"]]
      : undefined;
  if (!known) throw badInput(`op.op must be one of ${Object.keys(OPS).join(", ")}.`);
  if (!fits(fields, known.shape, known.optional))
    throw badInput(
      `Invalid fields for op ${name}. It takes ${Object.keys(known.shape).join(", ")}.`,
    );
  return { op: op as unknown as UserTaskOp, key };
}
