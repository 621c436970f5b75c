import { type Fields, isRecord } from "../../core/values.ts";
import type { Task, TaskDraft } from "../model.ts";
import { refsByContent } from "./content-ref.ts";
import { present, priority, rest, status, text, texts, time } from "./fields.ts";
import { type Imported, refsIn } from "./format.ts";

export interface TaskLines {
  readonly drafts: readonly TaskDraft[];
  /** The line of each draft. */
  readonly lines: readonly number[];
  readonly problems: readonly { readonly line: number; readonly what: string }[];
}

/** Fields of a task that belong to the store it was exported from. */
const LOCAL = [
  "epoch",
  "lease",
  "leaseUntil",
  "lapsed",
  "attempts",
  "claimedAt",
  "updatedAt",
  // Only a run on this side proves anything; its text stays among the evidence.
  "proof",
];
const KNOWN = [
  "id",
  "ref",
  "subject",
  "title",
  "description",
  "activeText",
  "activeForm",
  "status",
  "priority",
  "labels",
  "parent",
  "blockedBy",
  "blocked_by",
  "maxAttempts",
  "notBefore",
  "deadline",
  "evidence",
  "check",
  "reason",
  "metadata",
  "author",
  "owner",
  "createdAt",
  "finishedAt",
  ...LOCAL,
];

/** One task per line. Unknown fields go to its metadata. */
export function readTaskLines(content: string): TaskLines {
  const drafts: TaskDraft[] = [];
  const lines: number[] = [];
  const problems: { line: number; what: string }[] = [];
  for (const [place, written] of content.split("\n").entries()) {
    if (written.trim() === "") continue;
    const line = place + 1;
    const read = readLine(written);
    if ("what" in read) problems.push({ line, what: read.what });
    else {
      drafts.push(read.draft);
      lines.push(line);
    }
  }
  return { drafts, lines, problems };
}

function readLine(written: string): { readonly draft: TaskDraft } | { readonly what: string } {
  let given: unknown;
  try {
    given = JSON.parse(written.replace(/^\ufeff/, ""));
  } catch (error) {
    return { what: `is not JSON (${(error as Error).message}).` };
  }
  if (!isRecord(given)) return { what: "is not an object." };
  if (text(given.subject ?? given.title) === undefined) return { what: "has no subject." };
  const wanted = given.priority === undefined ? undefined : priority(given.priority);
  if (given.priority !== undefined && wanted === undefined)
    return { what: "has no priority from 0 to 4." };
  return { draft: draftOf(given, wanted) };
}

function draftOf(given: Fields, wanted: TaskDraft["priority"]): TaskDraft {
  const extra = rest(given, KNOWN);
  const metadata = { ...extra, ...(isRecord(given.metadata) ? given.metadata : {}) };
  const attempts = given.maxAttempts;
  return present<TaskDraft>({
    subject: text(given.subject ?? given.title) ?? "",
    description: text(given.description),
    activeText: text(given.activeText ?? given.activeForm),
    priority: wanted,
    labels: given.labels === undefined ? undefined : texts(given.labels),
    parent: text(given.parent),
    blockedBy:
      given.blockedBy === undefined && given.blocked_by === undefined
        ? undefined
        : texts(given.blockedBy ?? given.blocked_by),
    maxAttempts: typeof attempts === "number" ? attempts : undefined,
    notBefore: time(given.notBefore),
    deadline: time(given.deadline),
    metadata: Object.keys(metadata).length === 0 ? undefined : (metadata as Task["metadata"]),
    ref: text(given.ref),
    name: text(given.id),
    author: text(given.author),
    status: given.status === undefined ? undefined : status(given.status),
    owner: text(given.owner),
    evidence: given.evidence === undefined ? undefined : texts(given.evidence),
    check: text(given.check),
    reason: text(given.reason),
    createdAt: time(given.createdAt),
    finishedAt: time(given.finishedAt),
  });
}

/** The same for an import: references between lines become refs. */
export function readTaskExport(content: string, source: string): Imported {
  const { drafts, problems } = readTaskLines(content);
  const own = new Set(drafts.flatMap(({ name }) => name ?? []));
  const names = new Map<string, string>();
  const prefix = `jsonl:${source}`;
  const refOfOwn = refsIn(names, prefix);
  const refOfLine = refsByContent(prefix);
  const refOf = (name: string) => (own.has(name) ? refOfOwn(name) : name);
  return {
    drafts: drafts.map((line) => {
      const { name, ref, blockedBy, parent, ...draft } = line;
      return {
        ...draft,
        ...(blockedBy && { blockedBy: blockedBy.map(refOf) }),
        ...(parent !== undefined && { parent: refOf(parent) }),
        // The name that other lines use takes precedence over an older ref.
        ref: name === undefined ? (ref ?? refOfLine(JSON.stringify(line))) : refOfOwn(name),
      };
    }),
    skipped: problems.map(({ line, what }) => ({ where: `line ${line}`, why: what })),
    names,
  };
}
