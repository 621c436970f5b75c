import type { Usage } from "../../core/activity/usage.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, EventContext, Source } from "../agent.ts";
import { type Memory, recall, remember } from "../common/memory.ts";
import { resultNeedles } from "../common/result-needles.ts";
import type { Counted } from "../common/usage.ts";
import type { Fields } from "../common/values.ts";

export interface ClaudeState extends DecoderState {
  readonly kind: Source["kind"];
  /** The path of the file has the session id. The lines may not: forks copy lines of other sessions. */
  readonly fixed: boolean;
  /** The agent of records that name none. */
  readonly agent: string;
  readonly parent: string;
  cwd?: string;
  version?: string;
  /** An interactive session: Claude Code clears finished task lists. */
  interactive?: true;
  agents: Memory<Agent>;
  /** Pending calls of list and plan tools. */
  awaited: Memory<Call>;
  /** Pending calls of all other tools. */
  calls: Memory<Call>;
  /** Calls that started a subagent. */
  children: Memory<Child>;
  tasks: Memory<Task>;
  /** Tasks from before the stream. Added once the stream updates one of them or creates a later one. */
  earlier?: Memory<Task>;
  /** The highest task number so far. */
  highest?: number;
  /** A warning about unknown earlier tasks was emitted. */
  missed?: true;
  /** When the last open task was completed. */
  finishedAt?: string;
  /** The usage of the last requests. */
  counted: Counted;
  /** The usage of a run of the live output, by model. */
  run?: Memory<Usage>;
  /** The number of lists read from documents. Part of their keys: two lists may have the same content. */
  revision: number;
}

interface Agent {
  started?: true;
  turn?: true;
  /** A prompt that may not start a turn, such as a slash command. */
  prompt?: string;
  /** The message that ended the turn. Further blocks of it do not start a new one. */
  endedBy?: string;
  /** A request that only warms the cache of Claude Code. */
  ignored?: true;
  planning?: true;
  planFile?: { readonly path: string; readonly text: string };
  items?: readonly StreamItem[];
}

interface Child {
  readonly agent: string;
  readonly parent: string;
  readonly name?: string;
}

interface Call {
  readonly name: string;
  /** Kept if the result cannot be read without it. */
  readonly input?: unknown;
  /** For a call that reads tasks: the tasks written while it was pending. */
  readonly touched?: string[];
}

/** A call with its result. */
export interface CallWithResult {
  readonly callId: string;
  readonly call: Call;
  /** The structured result, if any. */
  readonly data: Fields | undefined;
  /** The result as the model sees it. */
  readonly content: unknown;
}

export interface Task {
  readonly subject?: string;
  readonly activeForm?: string;
  readonly status?: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
  readonly hidden?: true;
}

/** The agent and time of a record, and the key of its events. */
export interface Line {
  readonly agent: string;
  readonly at: string | undefined;
  readonly uuid: string | undefined;
  readonly parent?: string;
  readonly name?: string;
  /** The structured result of the tool, besides the text for the model. */
  readonly result?: unknown;
}

export function startState(source: Source): ClaudeState {
  return {
    session: source.session ?? "",
    kind: source.kind,
    fixed: source.kind !== "stream" && source.session !== undefined,
    agent: source.agent ?? "main",
    parent: source.parent ?? "main",
    agents: [],
    awaited: [],
    calls: [],
    children: [],
    tasks: [],
    counted: [],
    revision: 0,
  };
}

/** Switches to another session of the same stream, with an empty state. */
export function enterSession(state: ClaudeState, session: string | undefined): void {
  if (state.fixed || session === undefined || session === state.session) return;
  if (state.session !== "") {
    state.agents = [];
    state.awaited = [];
    state.calls = [];
    state.children = [];
    state.tasks = [];
    state.counted = [];
    delete state.run;
    delete state.earlier;
    delete state.highest;
    delete state.missed;
    delete state.finishedAt;
    delete state.cwd;
    delete state.version;
  }
  state.session = session;
}

export function agentOf(state: ClaudeState, id: string): Agent {
  const known = recall(state.agents, id);
  if (known) return known;
  const agent: Agent = {};
  remember(state.agents, id, agent);
  return agent;
}

export function contextOf({ agent, at }: Line, key: string | undefined): EventContext {
  return { agentId: agent, key, at };
}

/** Needles for the results of pending calls, for the model until it is known, and for the mode after planning. */
export function pendingNeedles(state: ClaudeState): readonly string[] {
  const { started, planning } = recall(state.agents, state.agent) ?? {};
  const ids = state.awaited.map((pair) => pair[0]);
  const found = [...resultNeedles(ids, "tool_use_id")];
  if (!started) found.push('"model"');
  if (planning) found.push('"permissionMode"');
  return found;
}
