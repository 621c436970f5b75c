import { isRecord } from "../../../core/values.ts";
import { PRIORITIES, type Priority } from "../../../tasks/model.ts";
import type { PersonTaskOp, TaskRequest } from "../../../tasks/wire.ts";
import { type Field, fits, isKey, isText, isTextOrNull, isTexts } from "../fields.ts";
import { badInput } from "../routes.ts";

/** What a page may ask of tasks: less than the command line may. What is not listed is refused. */

const isPriority: Field = (value) => PRIORITIES.includes(value as Priority);
const HELD = { id: isText, epoch: Number.isSafeInteger };
const isHeld: Field = (value) => Array.isArray(value) && value.length === 1 && fits(value[0], HELD);
/** What nobody holds has no epoch. */
const isHeldOrFree: Field = (value) =>
  Array.isArray(value) && value.length === 1 && fits(value[0], HELD, ["epoch"]);

const DRAFT = {
  subject: isText,
  description: isText,
  priority: isPriority,
  labels: isTexts,
  parent: isText,
  blockedBy: isTexts,
};
const EDIT = {
  subject: isText,
  description: isTextOrNull,
  priority: isPriority,
  labels: isTexts,
  parent: isTextOrNull,
  addBlockedBy: isTexts,
  removeBlockedBy: isTexts,
};
const BASE = { subject: isText, description: isTextOrNull };
const holder = { owner: isText, held: isHeld };

const OPS: Readonly<
  Record<PersonTaskOp["op"], { shape: Readonly<Record<string, Field>>; may?: readonly string[] }>
> = {
  add: {
    shape: {
      tasks: (value) =>
        Array.isArray(value) &&
        value.length === 1 &&
        fits(value[0], DRAFT, ["description", "priority", "labels", "parent", "blockedBy"]),
    },
  },
  edit: {
    shape: {
      id: isText,
      set: (value) => fits(value, EDIT, Object.keys(EDIT)),
      base: (value) => fits(value, BASE, Object.keys(BASE)),
    },
    may: ["base"],
  },
  assign: {
    shape: {
      id: isText,
      owner: isText,
      from: (value) => fits(value, { owner: isText, epoch: Number.isSafeInteger }),
    },
    may: ["from"],
  },
  release: { shape: { ...holder, reason: isText }, may: ["reason"] },
  renew: { shape: holder },
  finish: {
    shape: { owner: isText, held: isHeldOrFree, evidence: isTexts },
    may: ["evidence"],
  },
  reopen: { shape: { id: isText } },
  cancel: { shape: { id: isText, reason: isText }, may: ["reason"] },
};

export function readTaskRequest(body: unknown): TaskRequest {
  if (!fits(body, { op: isRecord, key: isKey }))
    throw badInput("The body is { op, key }; the key is a text that no other request has.");
  const { op, key } = body as unknown as { op: { op?: unknown }; key: string };
  const { op: name, ...fields } = op;
  const known =
    typeof name === "string" && Object.hasOwn(OPS, name)
      ? OPS[name as PersonTaskOp["op"]]
      : undefined;
  if (!known) throw badInput(`op.op is one of ${Object.keys(OPS).join(", ")}.`);
  if (!fits(fields, known.shape, known.may))
    throw badInput(`op of the kind ${name} takes ${Object.keys(known.shape).join(", ")}.`);
  return { op: op as unknown as PersonTaskOp, key };
}
