import type { Usage } from "../../core/activity/usage.ts";
import type { Mode } from "../../core/model.ts";
import type { StreamBody, StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, Emit, Source } from "../agent.ts";
import { resultNeedles } from "../common/result-needles.ts";
import type { ScriptWrite } from "./code-mode.ts";

/** A conversation of one agent, in the terms of Codex. A subagent has its own thread. */
export interface Thread {
  session: string;
  agent: string;
  announced: boolean;
  mode: Mode;
  /** The number of lists without a call id. Part of their keys. */
  writes: number;
  turn?: Turn;
  /** Facts from the start of the file, until the model is known. */
  facts?: Facts;
  /** The id of the plan that was proposed last. */
  plan?: string;
  /** The total usage that was last reported. */
  used?: Usage;
  model?: string;
  /** The list in the last answer of Waymark's tool. Answers to changes contain only the changed todos. */
  todos?: StreamItem[];
}

export type ThreadRef = Pick<Thread, "session" | "agent">;

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

/** A call whose result is pending. */
export interface OpenCall {
  /** `ended`: reported as aborted, but its item may still follow. */
  kind: "tool" | "plan" | "todos" | "script" | "ended";
  name: string;
  /** The arguments of a plan call, as sent. */
  plan?: string;
  writes?: ScriptWrite[];
  /** The script cell that a `wait` call waits for. */
  cell?: string;
}

export interface CodexState extends DecoderState {
  kind: Source["kind"];
  /** The thread of an event stream or session file. */
  self: Thread;
  /** Threads of an app-server, by id. */
  threads: Record<string, Thread>;
  /** The thread that is spawning a subagent, whose events come before the result of the call. */
  spawner?: ThreadRef;
  open: Record<string, OpenCall>;
  /** Scripts that continue in the background: call ids by cell. */
  cells: Record<string, string>;
  /** The last list of each item. Item ids restart with every run. */
  lists: Record<string, { count: number; last: string }>;
  run: number;
  /** The file marks turns. Old files have only prompts. */
  marked: boolean;
  metaSeen: boolean;
  /** The id of the thread of a session file. */
  thread?: string;
  /** The same, if the file begins with the lines of another thread. */
  fork?: string;
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

/** Emits an event of a thread. */
export type ThreadEmit = (body: StreamBody, key?: string) => void;

export function threadEmit(
  thread: Thread,
  at: string | number | undefined,
  emit: Emit,
): ThreadEmit {
  return (body, key) =>
    emit(body, {
      agentId: thread.agent,
      ...(thread.session !== "" && { sessionId: thread.session }),
      key: key === undefined ? undefined : keyIn(thread, key),
      at,
    });
}

const COUNTER = /^[a-z_-]*\d{1,5}(?:\.\d+)?$/i;

/** Some model servers number their calls and restart in every run, so such keys include the turn. */
function keyIn({ turn }: Thread, key: string): string {
  return turn?.id !== undefined && COUNTER.test(key) ? `${turn.id}.${key}` : key;
}

/** Emits the start of a thread, once. */
export function announce(thread: Thread, model: string | undefined, send: ThreadEmit) {
  if (model !== undefined) thread.model = model;
  if (thread.announced) return;
  thread.announced = true;
  const { facts = {} } = thread;
  delete thread.facts;
  send({ type: "session.started", ...facts, ...(model !== undefined && { model }) }, "started");
}

export function changeMode(thread: Thread, mode: unknown, send: ThreadEmit) {
  if (typeof mode !== "string") return;
  const next: Mode = mode === "plan" ? "plan" : "work";
  if (next === thread.mode) return;
  thread.mode = next;
  send({ type: "mode.changed", mode: next });
}

const MAX_OPEN = 1_000;

/** Sets a value; the oldest is dropped at the limit. Keys are prefixed, so that no id matches an inherited property. */
export function put<T>(map: Record<string, T>, id: string, value: T) {
  const key = `#${id}`;
  delete map[key];
  map[key] = value;
  const keys = Object.keys(map);
  if (keys.length > MAX_OPEN && keys[0] !== undefined) delete map[keys[0]];
}

export function get<T>(map: Record<string, T>, id: string): T | undefined {
  return map[`#${id}`];
}

/** Removes a value and returns it. */
export function take<T>(map: Record<string, T>, id: string): T | undefined {
  const key = `#${id}`;
  const value = map[key];
  delete map[key];
  return value;
}

/** Needles for the results of pending calls that may write, and for waits on background scripts. */
export function pendingNeedles({ open, cells, self }: CodexState): readonly string[] {
  const writes = Object.entries(open).filter(
    ([, call]) => call.kind !== "tool" || call.cell !== undefined,
  );
  const ids = resultNeedles(
    writes.map(([key]) => key.slice(`#${self.agent}:`.length)),
    "call_id",
  );
  return Object.keys(cells).length > 0 ? ["cell_id", ...ids] : ids;
}

const MAX_TEXT = 500;

export function shorten(text: string, max = MAX_TEXT): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
