import { argumentError } from "../../core/argument.ts";
import type { Author } from "../../core/model.ts";
import { byteLength, forbiddenCharacter, oneLine } from "../../core/text/escape.ts";
import {
  LATEST_TIME,
  LONGEST_DELAY,
  LONGEST_LEASE,
  type Metadata,
  type PassedCheck,
  PRIORITIES,
  type TaskBase,
  type TaskDraft,
  type TaskEdit,
  type TaskOp,
  type TaskSender,
} from "../model.ts";

/** Limits of a task. Characters are code points. */
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

/** Thrown inside this file only; its message describes the invalid input. */
class Problem extends Error {}

function fail(where: string, what: string): never {
  throw new Problem(`${where} ${what}`);
}

function plain(where: string, text: string): string {
  const bad = forbiddenCharacter(text) && forbiddenCharacter(text.replace(/[\n\t]/g, " "));
  if (bad !== undefined) fail(where, `contains a control character: ${bad}. Send plain text.`);
  return text;
}

function line(where: string, given: unknown, max: number): string {
  if (typeof given !== "string") fail(where, "must be text.");
  const text = plain(where, oneLine(given));
  if (text === "") fail(where, "is empty.");
  // A string has at most as many characters as code units.
  const length = text.length > max ? [...text].length : text.length;
  if (length > max) fail(where, `has ${length} characters; the limit is ${max}.`);
  return text;
}

function paragraphs(where: string, given: unknown, max: number): string {
  if (typeof given !== "string") fail(where, "must be text.");
  const text = plain(where, given.replace(/\r\n?/g, "\n").trimEnd());
  if (text.trim() === "") fail(where, "is empty.");
  if (text.length > max) fail(where, `has ${text.length} characters; the limit is ${max}.`);
  return text;
}

function lines(where: string, given: unknown, most: number, max: number): string[] {
  if (!Array.isArray(given)) fail(where, "must be a list of texts.");
  if (given.length > most) fail(where, `has ${given.length} entries; the limit is ${most}.`);
  return [...new Set(given.map((each, place) => line(`${where}[${place}]`, each, max)))];
}

function wholeNumber(where: string, given: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most)
    return given as number;
  return fail(where, `must be a whole number from ${least} to ${most}.`);
}

function moment(where: string, given: unknown): number {
  if (typeof given === "number" && Number.isFinite(given) && given >= 0 && given <= LATEST_TIME)
    return Math.floor(given);
  return fail(where, "must be a time in milliseconds.");
}

function metadata(where: string, given: unknown): Metadata {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    fail(where, "must be an object.");
  let json: string;
  try {
    json = JSON.stringify(given);
  } catch {
    return fail(where, "must be JSON.");
  }
  const size = byteLength(json);
  if (size > LIMITS.metadata) fail(where, `has ${size} bytes; the limit is ${LIMITS.metadata}.`);
  // A copy that contains only JSON values.
  return JSON.parse(json, (key, value) => (key === "__proto__" ? undefined : value)) as Metadata;
}

const priority = (where: string, given: unknown) =>
  PRIORITIES.find((each) => each === given) ??
  fail(where, "must be a priority from 0 (most urgent) to 4.");
const subject = (where: string, given: unknown) => line(where, given, LIMITS.subject);
const text = (where: string, given: unknown) => paragraphs(where, given, LIMITS.text);
const name = (where: string, given: unknown) => line(where, given, LIMITS.name);
const labels = (where: string, given: unknown) => lines(where, given, LIMITS.labels, LIMITS.name);
const edges = (where: string, given: unknown) => lines(where, given, LIMITS.edges, LIMITS.name);
const attempts = (where: string, given: unknown) => wholeNumber(where, given, 1, LIMITS.attempts);
const lease = (where: string, given: unknown) => wholeNumber(where, given, 1, LONGEST_LEASE);
const delay = (where: string, given: unknown) => wholeNumber(where, given, 0, LONGEST_DELAY);

function evidence(where: string, given: unknown): string[] {
  if (!Array.isArray(given)) fail(where, "must be a list of texts.");
  if (given.length > LIMITS.evidence)
    fail(where, `has ${given.length} entries; the limit is ${LIMITS.evidence}.`);
  return given.map((each, place) => paragraphs(`${where}[${place}]`, each, LIMITS.proof));
}

function importedStatus(where: string, given: unknown): NonNullable<TaskDraft["status"]> {
  const known = (["open", "done", "failed", "cancelled"] as const).find((each) => each === given);
  return known ?? fail(where, "must be open, done, failed or cancelled.");
}

type Check = (where: string, given: unknown) => unknown;
type Checks = readonly (readonly [string, Check])[];

function checksOf<F extends string>(checks: Readonly<Record<F, Check>>): Checks {
  return Object.entries<Check>(checks);
}

/** Fields that `null` removes. */
const REMOVABLE = new Set([
  "description",
  "activeText",
  "parent",
  "check",
  "notBefore",
  "deadline",
]);

const DRAFT = checksOf<keyof TaskDraft>({
  subject,
  description: text,
  activeText: subject,
  priority,
  labels,
  parent: name,
  blockedBy: edges,
  maxAttempts: attempts,
  notBefore: moment,
  deadline: moment,
  metadata,
  ref: name,
  name,
  author: name,
  status: importedStatus,
  owner: name,
  evidence,
  check: name,
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
  notBefore: moment,
  deadline: moment,
  check: name,
  metadata,
});

/** The proofs of our own code: no text of theirs is normalized, but a bad one is refused. */
function proofs(where: string, given: unknown): PassedCheck[] {
  if (!Array.isArray(given)) fail(where, "must be a list of proofs.");
  if (given.length > LIMITS.batch) fail(where, `has more than ${LIMITS.batch} entries.`);
  return given.map((each: Partial<PassedCheck>, place) => {
    const at = `${where}[${place}]`;
    if (typeof each !== "object" || each === null) fail(at, "must be an object.");
    if (each.exitCode !== 0) fail(at, "is not of a check that passed: exitCode must be 0.");
    if (typeof each.tree !== "string") fail(`${at}.tree`, "must be text.");
    return {
      check: name(`${at}.check`, each.check),
      tree: each.tree === "" ? "" : name(`${at}.tree`, each.tree),
      exitCode: 0,
      at: moment(`${at}.at`, each.at),
      machine: name(`${at}.machine`, each.machine),
    };
  });
}

function fields<T extends object>(where: string, given: T, checks: Checks, removable: boolean): T {
  if (typeof given !== "object" || given === null) fail(where, "must be an object.");
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
    fail(where === "" ? "subject" : `${where}.subject`, "is required.");
  return value;
}

/** A reference to a name that two drafts have could mean either. */
function uniqueNames(drafts: readonly TaskDraft[]): void {
  const names = new Set<string>();
  for (const [place, { name: own }] of drafts.entries()) {
    if (own === undefined) continue;
    if (names.has(own))
      fail(`tasks[${place}].name`, "is the name of an earlier task in this call.");
    names.add(own);
  }
}

function heldList(given: readonly { readonly id: string; readonly epoch?: number }[]) {
  if (!Array.isArray(given) || given.length === 0) fail("held", "must name at least one task.");
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
        fail("tasks", `has ${op.tasks.length} entries; the limit is ${LIMITS.batch} per call.`);
      const alone = op.tasks.length === 1;
      const tasks = op.tasks.map((each, n) => draft(alone ? "" : `tasks[${n}]`, each));
      uniqueNames(tasks);
      return { op: "add", tasks };
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
        ...(op.proofs !== undefined && { proofs: proofs("proofs", op.proofs) }),
        ...(op.force && { force: true }),
      };
    case "fail":
      return {
        op: "fail",
        owner: name("owner", op.owner),
        held: heldList(op.held),
        reason: text("reason", op.reason),
        ...(op.retryIn !== undefined && { retryIn: delay("retryIn", op.retryIn) }),
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
      return fail("op", "is unknown.");
  }
}

const AUTHORS: readonly unknown[] = ["agent", "user", "system"] satisfies readonly Author[];

/** A call without an op or a sender is a bug in the caller, not a refusal. */
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

/** The op with normalized texts, or the problem with it. */
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
