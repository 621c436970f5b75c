import type { Mode } from "../../core/model.ts";
import type { StreamBody, StreamItem } from "../../core/stream/events.ts";
import type { DialectState, Emit, Source } from "../agent.ts";
import { answersTo } from "../common/answers.ts";
import type { ScriptWrite } from "./code-mode.ts";

/** One conversation of one agent: Codex calls it a thread, and a subagent has its own. */
export interface Thread {
  session: string;
  agent: string;
  announced: boolean;
  mode: Mode;
  /** How many lists had no call id of their own; part of their key. */
  writes: number;
  turn?: Turn;
  /** What the start of the file said, until the model is known as well. */
  facts?: Facts;
  /** The plan that was proposed last. */
  plan?: string;
  /** The list that Waymark's own tool answered last; changes of it are told without the rest. */
  todos?: StreamItem[];
}

export type Speaker = Pick<Thread, "session" | "agent">;

interface Turn {
  id?: string;
  prompted: boolean;
  error?: string;
}

interface Facts {
  cwd?: string;
  version?: string;
  parentId?: string;
  name?: string;
}

/** A call that has no result yet. */
export interface OpenCall {
  /** `ended`: told as aborted, though its item may still come. */
  kind: "tool" | "plan" | "todos" | "script" | "ended";
  name: string;
  /** Arguments of a plan call as they were sent. */
  plan?: string;
  writes?: ScriptWrite[];
  /** The script that a `wait` waits for. */
  cell?: string;
}

export interface CodexState extends DialectState {
  kind: Source["kind"];
  /** The thread that a stream of events or a session file is about. */
  self: Thread;
  /** Threads of an app-server, by id. */
  threads: Record<string, Thread>;
  /** Who is about to start a subagent: its thread speaks before the call has its result. */
  spawner?: Speaker;
  open: Record<string, OpenCall>;
  /** Scripts that went on in the background: cell to call id. */
  cells: Record<string, string>;
  /** The last list of each item: ids start again with every run. */
  lists: Record<string, { count: number; last: string }>;
  run: number;
  /** Turns are marked in this file; old ones only have prompts. */
  marked: boolean;
  metaSeen: boolean;
}

export function newThread(session: string, agent: string): Thread {
  return { session, agent, announced: false, mode: "work", writes: 0 };
}

export function newState(source: Source): CodexState {
  const session = source.session ?? "";
  return {
    session,
    kind: source.kind,
    self: newThread(session, source.agent ?? "main"),
    threads: {},
    open: {},
    cells: {},
    lists: {},
    run: 0,
    marked: false,
    metaSeen: false,
  };
}

/** What a thread says, with who says it. */
export type Say = (body: StreamBody, key?: string) => void;

export function sayAs(thread: Thread, at: string | number | undefined, emit: Emit): Say {
  return (body, key) =>
    emit(body, {
      agentId: thread.agent,
      ...(thread.session !== "" && { sessionId: thread.session }),
      key: key === undefined ? undefined : keyIn(thread, key),
      at,
    });
}

const COUNTER = /^[a-z_-]*\d{1,5}(?:\.\d+)?$/i;

/** Some model servers number their calls, from one again in every run: the turn tells them apart. */
function keyIn({ turn }: Thread, key: string): string {
  return turn?.id !== undefined && COUNTER.test(key) ? `${turn.id}.${key}` : key;
}

/** Once per agent. */
export function announce(thread: Thread, model: string | undefined, say: Say) {
  if (thread.announced) return;
  thread.announced = true;
  const { facts = {} } = thread;
  delete thread.facts;
  say({ type: "session.started", ...facts, ...(model !== undefined && { model }) }, "started");
}

export function changeMode(thread: Thread, mode: unknown, say: Say) {
  if (typeof mode !== "string") return;
  const next: Mode = mode === "plan" ? "plan" : "work";
  if (next === thread.mode) return;
  thread.mode = next;
  say({ type: "mode.changed", mode: next });
}

const MAX_OPEN = 1_000;

/** Keys are prefixed: an id never meets a name that objects have by themselves. */
export function keep<T>(kept: Record<string, T>, id: string, value: T) {
  const key = `#${id}`;
  delete kept[key];
  kept[key] = value;
  const keys = Object.keys(kept);
  if (keys.length > MAX_OPEN && keys[0] !== undefined) delete kept[keys[0]];
}

export function kept<T>(from: Record<string, T>, id: string): T | undefined {
  return from[`#${id}`];
}

export function take<T>(from: Record<string, T>, id: string): T | undefined {
  const key = `#${id}`;
  const value = from[key];
  delete from[key];
  return value;
}

/** Answers to open calls that may write; of a script in the background, who waits for it. */
export function wanted({ open, cells, self }: CodexState): readonly string[] {
  const writes = Object.entries(open).filter(
    ([, call]) => call.kind !== "tool" || call.cell !== undefined,
  );
  const ids = answersTo(
    writes.map(([key]) => key.slice(`#${self.agent}:`.length)),
    "call_id",
  );
  return Object.keys(cells).length > 0 ? ["cell_id", ...ids] : ids;
}

const MAX_TEXT = 500;

export function shortened(text: string, max = MAX_TEXT): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
