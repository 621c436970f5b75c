import * as z from "zod/mini";
import type { Intent } from "../../core/list/access.ts";
import { PRESETS } from "../../core/list/policy.ts";
import { findByRef } from "../../core/list/target.ts";
import {
  type Draft,
  type Op,
  type Outcome,
  type Patch,
  STATUSES,
  type Status,
  type Todo,
  type Track,
} from "../../core/model.ts";
import { oneLine, withoutForbidden } from "../../core/text/escape.ts";
import { json, modelText } from "../../core/text/model-text.ts";
import { type Answer, defineTool } from "../../tools/tool.ts";

const { maxTodos, maxText } = PRESETS.repair;

const input = z.object({
  todos: z.optional(
    z.array(
      z.object({
        id: z.string(),
        content: z.string(),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
        parent: z.optional(z.string()),
      }),
    ),
  ),
  merge: z.optional(z.boolean()),
});

type Input = z.infer<typeof input>;

/** Hermes' tool, which reads and writes. It repairs bad entries instead of refusing them. */
export const todoHermes = defineTool<Input>({
  id: "todo",
  name: "todo",
  title: "Task list",
  input,
  // After `repair`, every object is a valid entry. Fields it dropped keep their value.
  older: z.object({
    todos: z.optional(z.array(z.looseObject({}))),
    merge: z.optional(z.boolean()),
  }) as unknown as z.ZodMiniType<Input>,
  examples: [
    {},
    { todos: [{ id: "1", content: "Collect the sources", status: "in_progress" }] },
    { todos: [{ id: "1", content: "Collect the sources", status: "completed" }], merge: true },
  ],
  strict: false,
  policy: PRESETS.repair,
  textIsData: true,
  fieldNames: { text: modelText`content`, ref: modelText`id` },
  repair,
  reads: ({ todos }) => todos === undefined,
  decode,
  answer,
});

const PLACEHOLDER = "(no description)";
const MAX_ID = 100;

function repair(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null) return sent;
  const { todos, merge } = sent as Record<string, unknown>;
  // A string that is not a list is refused: read as an empty list, it would clear the todos.
  const list = typeof todos === "string" ? parseList(todos) : todos;
  if (typeof todos === "string" && list === undefined) return sent;
  if (!Array.isArray(list)) return {};
  return { todos: list.slice(0, maxTodos).map(repairEntry), merge: merge === true };
}

/** Some models send the list as a JSON string. */
function parseList(todos: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(todos);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function repairEntry(entry: unknown): Record<string, string> {
  const given = (typeof entry === "object" && entry !== null ? entry : {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown) =>
    typeof value === "string" || typeof value === "number" ? clean(String(value)) : "";
  const status = text(given.status).toLowerCase();
  const content = text(given.content);
  return {
    ...(text(given.id) !== "" && { id: cut(text(given.id), MAX_ID) }),
    ...(content !== "" && { content }),
    ...((STATUSES as readonly string[]).includes(status) && { status }),
    ...("parent" in given && { parent: text(given.parent) }),
  };
}

function clean(text: string): string {
  return cut(withoutForbidden(oneLine(text)).trim(), maxText);
}

/** Cuts between code points. */
function cut(line: string, max: number): string {
  const characters = [...line];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : line;
}

interface Entry {
  readonly id?: string;
  readonly content?: string;
  readonly status?: Status;
  readonly parent?: string;
}

function decode({ todos, merge }: Input, track: Track): Intent {
  const entries = lastOfEachId((todos ?? []) as readonly Entry[]);
  if (merge) {
    const patches = entries
      .filter(({ id }) => id !== undefined)
      .map((entry) => patchOf(entry, track));
    return { ops: [{ op: "upsert", todos: patches }, ...activeFirst(track, patches)] };
  }
  const drafts = withoutBadParents(entries).map(
    (entry): Draft => ({
      text: entry.content ?? PLACEHOLDER,
      status: entry.status ?? "pending",
      ...(entry.id !== undefined && { ref: entry.id }),
      parent: entry.parent || null,
    }),
  );
  return { ops: [{ op: "replace", todos: flatOrder(drafts) }] };
}

/** Of entries with the same id, only the last one counts. Entries without an id all count. */
function lastOfEachId(entries: readonly Entry[]): readonly Entry[] {
  const last = new Map(entries.map(({ id }, index) => [id, index]));
  return entries.filter(({ id }, index) => id === undefined || last.get(id) === index);
}

function patchOf({ id, content, status, parent }: Entry, track: Track): Patch {
  const known = findByRef(track.todos, id);
  return {
    ...(id !== undefined && { ref: id }),
    ...(content !== undefined ? { text: content } : !known && { text: PLACEHOLDER }),
    ...(status !== undefined && { status }),
    ...(parent !== undefined && { parent: parent || null }),
  };
}

/** Drops parents that are not in the list or part of a cycle. */
function withoutBadParents(entries: readonly Entry[]): readonly Entry[] {
  const parents = new Map(entries.map(({ id, parent }) => [id, parent]));
  return entries.map((entry) => {
    const seen = new Set([entry.id]);
    for (let up = entry.parent; up; up = parents.get(up)) {
      if (seen.has(up) || !parents.has(up)) {
        const { parent: _, ...rest } = entry;
        return rest;
      }
      seen.add(up);
    }
    return entry;
  });
}

/** Moves the active entry before the first pending one, unless entries have parents. */
function flatOrder(drafts: readonly Draft[]): readonly Draft[] {
  const active = drafts.findIndex(({ status }) => status === "in_progress");
  const pending = drafts.findIndex(({ status }) => status === "pending");
  const entry = drafts[active];
  if (!entry || pending === -1 || pending > active || drafts.some(({ parent }) => parent))
    return drafts;
  return drafts.toSpliced(active, 1).toSpliced(pending, 0, entry);
}

/** The same for a merge. */
function activeFirst(track: Track, patches: readonly Patch[]): Op[] {
  const sent = new Map(patches.map((patch) => [findByRef(track.todos, patch.ref)?.id, patch]));
  const merged = [
    ...track.todos.map(({ id, ref = id, status, parent }) => {
      const patch = sent.get(id);
      const { status: newStatus = status, parent: newParent = parent } = patch ?? {};
      return { ref, status: newStatus, parent: newParent };
    }),
    ...patches.filter(({ ref }) => !findByRef(track.todos, ref)),
  ];
  const active = merged.findIndex(({ status }) => status === "in_progress");
  const pending = merged.findIndex(({ status }) => (status ?? "pending") === "pending");
  const ref = merged[active]?.ref;
  if (!ref || pending === -1 || pending > active || merged.some(({ parent }) => parent)) return [];
  return [{ op: "move", target: { ref }, to: pending }];
}

function answer({ after }: Outcome): Answer {
  const todos = after.todos.map((todo) => entryOf(after.todos, todo));
  const count = (status: Status) => todos.filter((todo) => todo.status === status).length;
  const data = {
    todos,
    revision: after.revision,
    summary: {
      total: todos.length,
      pending: count("pending"),
      in_progress: count("in_progress"),
      completed: count("completed"),
      cancelled: count("cancelled"),
    },
  };
  return { text: json(data), data };
}

function entryOf(todos: readonly Todo[], todo: Todo) {
  const idOf = (id: string) => todos.find((other) => other.id === id)?.ref ?? id;
  return {
    id: todo.ref ?? todo.id,
    content: todo.text,
    status: todo.status === "blocked" ? ("pending" as const) : todo.status,
    ...(todo.parent !== undefined && { parent: idOf(todo.parent) }),
  };
}
