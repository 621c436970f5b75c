import { argumentError } from "../../core/argument.ts";
import type { By } from "../../core/model.ts";
import { byteLength, forbiddenCharacter, oneLine } from "../../core/text/escape.ts";
import {
  LAST_MOMENT,
  LONGEST_LEASE,
  type Metadata,
  PRIORITIES,
  type TaskBase,
  type TaskDraft,
  type TaskEdit,
  type TaskOp,
  type TaskSender,
} from "../model.ts";

/** What a task may hold at most. Characters are code points. */
const LIMITS = {
  subject: 500,
  text: 100_000,
  name: 200,
  labels: 50,
  edges: 1_000,
  evidence: 50,
  proof: 2_000,
  metadata: 65_536,
  attempts: 1_000,
  batch: 100_000,
} as const;

/** Thrown inside of this file only: what is wrong with an input, in words. */
class Problem extends Error {}

function fail(where: string, what: string): never {
  throw new Problem(`${where} ${what}`);
}

function plain(where: string, text: string): string {
  const bad = forbiddenCharacter(text) && forbiddenCharacter(text.replace(/[\n\t]/g, " "));
  if (bad !== undefined) fail(where, `has a control character, ${bad}. Send plain text.`);
  return text;
}

function line(where: string, given: unknown, max: number): string {
  if (typeof given !== "string") fail(where, "is not a text.");
  const text = plain(where, oneLine(given));
  if (text === "") fail(where, "is empty.");
  // There are no more characters than code units.
  const length = text.length > max ? [...text].length : text.length;
  if (length > max) fail(where, `has ${length} characters; at most ${max} are allowed.`);
  return text;
}

function paragraphs(where: string, given: unknown, max: number): string {
  if (typeof given !== "string") fail(where, "is not a text.");
  const text = plain(where, given.replace(/\r\n?/g, "\n").trimEnd());
  if (text.trim() === "") fail(where, "is empty.");
  if (text.length > max) fail(where, `has ${text.length} characters; at most ${max} are allowed.`);
  return text;
}

function lines(where: string, given: unknown, most: number, max: number): string[] {
  if (!Array.isArray(given)) fail(where, "is not a list of texts.");
  if (given.length > most) fail(where, `has ${given.length} entries; at most ${most} are allowed.`);
  return [...new Set(given.map((each, place) => line(`${where}[${place}]`, each, max)))];
}

function wholeNumber(where: string, given: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most)
    return given as number;
  return fail(where, `is no whole number from ${least} to ${most}.`);
}

function moment(where: string, given: unknown): number {
  if (typeof given === "number" && Number.isFinite(given) && given >= 0 && given <= LAST_MOMENT)
    return Math.floor(given);
  return fail(where, "is no time in milliseconds.");
}

function metadata(where: string, given: unknown): Metadata {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    fail(where, "is not an object.");
  let json: string;
  try {
    json = JSON.stringify(given);
  } catch {
    return fail(where, "is no JSON.");
  }
  const size = byteLength(json);
  if (size > LIMITS.metadata)
    fail(where, `has ${size} bytes; at most ${LIMITS.metadata} are allowed.`);
  // A copy of its own, and nothing in it that JSON does not know.
  return JSON.parse(json, (key, value) => (key === "__proto__" ? undefined : value)) as Metadata;
}

const priority = (where: string, given: unknown) =>
  PRIORITIES.find((each) => each === given) ??
  fail(where, "is no priority from 0 (first) to 4 (last).");
const subject = (where: string, given: unknown) => line(where, given, LIMITS.subject);
const text = (where: string, given: unknown) => paragraphs(where, given, LIMITS.text);
const name = (where: string, given: unknown) => line(where, given, LIMITS.name);
const labels = (where: string, given: unknown) => lines(where, given, LIMITS.labels, LIMITS.name);
const edges = (where: string, given: unknown) => lines(where, given, LIMITS.edges, LIMITS.name);
const attempts = (where: string, given: unknown) => wholeNumber(where, given, 1, LIMITS.attempts);
const lease = (where: string, given: unknown) => wholeNumber(where, given, 1, LONGEST_LEASE);

function evidence(where: string, given: unknown): string[] {
  if (!Array.isArray(given)) fail(where, "is not a list of texts.");
  if (given.length > LIMITS.evidence)
    fail(where, `has ${given.length} entries; at most ${LIMITS.evidence} are allowed.`);
  return given.map((each, place) => paragraphs(`${where}[${place}]`, each, LIMITS.proof));
}

function importedStatus(where: string, given: unknown): NonNullable<TaskDraft["status"]> {
  const known = (["open", "done", "failed", "cancelled"] as const).find((each) => each === given);
  return known ?? fail(where, "is none of open, done, failed, cancelled.");
}

type Check = (where: string, given: unknown) => unknown;
type Checks = readonly (readonly [string, Check])[];

function checksOf<F extends string>(checks: Readonly<Record<F, Check>>): Checks {
  return Object.entries<Check>(checks);
}

/** `null` means "take it away" for these. */
const REMOVABLE = new Set(["description", "activeText", "parent"]);

const DRAFT = checksOf<keyof TaskDraft>({
  subject,
  description: text,
  activeText: subject,
  priority,
  labels,
  parent: name,
  blockedBy: edges,
  maxAttempts: attempts,
  metadata,
  ref: name,
  name,
  author: name,
  status: importedStatus,
  owner: name,
  evidence,
  reason: text,
  createdAt: moment,
  finishedAt: moment,
});

const BASE = checksOf<keyof TaskBase>({ subject, description: text });

const EDIT = checksOf<keyof TaskEdit>({
  subject,
  description: text,
  activeText: subject,
  priority,
  labels,
  addLabels: labels,
  removeLabels: labels,
  parent: name,
  addBlockedBy: edges,
  removeBlockedBy: edges,
  addBlocks: edges,
  maxAttempts: attempts,
  metadata,
});

function fields<T extends object>(where: string, given: T, checks: Checks, removable: boolean): T {
  if (typeof given !== "object" || given === null) fail(where, "is not an object.");
  const value: Record<string, unknown> = {};
  for (const [field, check] of checks) {
    const entry = (given as Record<string, unknown>)[field];
    if (entry === undefined) continue;
    const at = where === "" ? field : `${where}.${field}`;
    value[field] = entry === null && removable && REMOVABLE.has(field) ? null : check(at, entry);
  }
  return value as T;
}

function draft(where: string, given: TaskDraft): TaskDraft {
  const value = fields(where, given, DRAFT, false);
  if (value.subject === undefined)
    fail(where === "" ? "subject" : `${where}.subject`, "is missing.");
  return value;
}

function heldList(given: readonly { readonly id: string; readonly epoch?: number }[]) {
  if (!Array.isArray(given) || given.length === 0) fail("held", "names no task.");
  if (given.length > LIMITS.batch) fail("held", `names more than ${LIMITS.batch} tasks.`);
  const list = given.map((each) => ({
    id: name("id", each.id),
    ...(each.epoch !== undefined && {
      epoch: wholeNumber("epoch", each.epoch, 0, Number.MAX_SAFE_INTEGER),
    }),
  }));
  if (new Set(list.map(({ id }) => id)).size < list.length) fail("held", "names a task twice.");
  return list;
}

function checked(op: TaskOp): TaskOp {
  switch (op.op) {
    case "add": {
      if (!Array.isArray(op.tasks) || op.tasks.length === 0) fail("tasks", "is empty.");
      if (op.tasks.length > LIMITS.batch)
        fail("tasks", `has ${op.tasks.length} entries; at most ${LIMITS.batch} go in one step.`);
      const alone = op.tasks.length === 1;
      return {
        op: "add",
        tasks: op.tasks.map((each, n) => draft(alone ? "" : `tasks[${n}]`, each)),
      };
    }
    case "claim":
      return {
        op: "claim",
        owner: name("owner", op.owner),
        ...(op.id !== undefined && { id: name("id", op.id) }),
        ...(op.label !== undefined && { label: name("label", op.label) }),
        ...(op.lease !== undefined && { lease: lease("lease", op.lease) }),
        ...(op.count !== undefined && { count: wholeNumber("count", op.count, 1, 10_000) }),
      };
    case "renew":
      return {
        op: "renew",
        owner: name("owner", op.owner),
        held: heldList(op.held),
        ...(op.lease !== undefined && { lease: lease("lease", op.lease) }),
      };
    case "release":
      return {
        op: "release",
        owner: name("owner", op.owner),
        held: heldList(op.held),
        ...(op.reason !== undefined && { reason: text("reason", op.reason) }),
      };
    case "finish":
      return {
        op: "finish",
        owner: name("owner", op.owner),
        held: heldList(op.held),
        ...(op.evidence !== undefined && { evidence: evidence("evidence", op.evidence) }),
      };
    case "fail":
      return {
        op: "fail",
        owner: name("owner", op.owner),
        held: heldList(op.held),
        reason: text("reason", op.reason),
      };
    case "edit":
      return {
        op: "edit",
        id: name("id", op.id),
        set: fields("", op.set, EDIT, true),
        ...(op.base !== undefined && { base: fields("base", op.base, BASE, true) }),
      };
    case "cancel":
      return {
        op: "cancel",
        id: name("id", op.id),
        ...(op.reason !== undefined && { reason: text("reason", op.reason) }),
      };
    case "reopen":
      return { op: "reopen", id: name("id", op.id) };
    case "assign":
      return {
        op: "assign",
        id: name("id", op.id),
        owner: name("owner", op.owner),
        ...(op.lease !== undefined && { lease: lease("lease", op.lease) }),
        ...(op.from !== undefined && {
          from: {
            owner: name("from.owner", op.from.owner),
            epoch: wholeNumber("from.epoch", op.from.epoch, 0, Number.MAX_SAFE_INTEGER),
          },
        }),
      };
    default:
      return fail("op", `is none that is known.`);
  }
}

const AUTHORS: readonly unknown[] = ["agent", "user", "system"] satisfies readonly By[];

/** A call without an op or a sender is a mistake in the program, not a refused op. */
function checkCall(op: TaskOp, sender: TaskSender): void {
  const where = "apply(op, sender)";
  const way = 'Call store.apply(op, { by: "agent", via: "my-program" }).';
  if (typeof op !== "object" || op === null)
    throw argumentError(`${where}: op must be an object`, '{ op: "add", … }', op, way);
  const { by, via }: Partial<TaskSender> = sender ?? {};
  if (AUTHORS.includes(by) && typeof via === "string") return;
  const authors = AUTHORS.join(", ");
  throw argumentError(where, `a sender with by (one of ${authors}) and via`, sender, way);
}

/** The op with its texts in order, or what is wrong with it. */
export function checkOp(
  op: TaskOp,
  sender: TaskSender,
): { readonly ok: true; readonly op: TaskOp } | { readonly ok: false; readonly problem: string } {
  checkCall(op, sender);
  try {
    for (const field of ["key", "actor", "via"] as const)
      if (sender[field] !== undefined) name(field, sender[field]);
    return { ok: true, op: checked(op) };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: error.message };
    throw error;
  }
}
