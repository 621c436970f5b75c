import type { StreamItem } from "../../core/stream/events.ts";
import type { About, DialectState, Source } from "../agent.ts";
import { answersTo } from "../common/answers.ts";
import { type Memory, recall, remember } from "../common/memory.ts";
import type { Fields } from "../common/values.ts";

export interface ClaudeState extends DialectState {
  readonly kind: Source["kind"];
  /** The place of a file says better than its lines which session it is: forks copy lines. */
  readonly fixed: boolean;
  /** Whose records these are where the record does not say. */
  readonly agent: string;
  readonly parent: string;
  cwd?: string;
  version?: string;
  /** A person sits in front of the terminal, so that finished tasks are cleared away. */
  interactive?: true;
  agents: Memory<Agent>;
  /** Open calls of list and plan tools: what is waited for. */
  awaited: Memory<Call>;
  /** Open calls of all other tools. */
  calls: Memory<Call>;
  /** Calls that started a subagent. */
  children: Memory<Child>;
  tasks: Memory<Task>;
  /** Tasks from before the stream began; shown once the stream touches one or adds to them. */
  earlier?: Memory<Task>;
  /** The highest number of a task so far. */
  highest?: number;
  /** It was reported that earlier tasks are unknown. */
  missed?: true;
  /** When the last open task was completed. */
  finishedAt?: string;
  /** How many lists were read of documents: two of the same content are still two. */
  revision: number;
}

interface Agent {
  started?: true;
  turn?: true;
  /** A prompt that may turn out to be no turn at all, such as a command of the terminal. */
  prompt?: string;
  /** The message that ended the turn: its other blocks follow and do not begin a new one. */
  endedBy?: string;
  /** A warm-up of the program's cache, nobody's work. */
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
  /** Kept for the calls whose arguments are needed when the result is there. */
  readonly input?: unknown;
  /** Of a call that reads tasks: those written while it was under way. */
  readonly touched?: string[];
}

/** A call that was answered. */
export interface Answer {
  readonly callId: string;
  readonly call: Call;
  /** The answer as data, where there is some. */
  readonly data: Fields | undefined;
  /** The answer as the model sees it. */
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

/** Where a record stands: whose it is, when, and what makes its events' ids. */
export interface Line {
  readonly agent: string;
  readonly at: string | undefined;
  readonly uuid: string | undefined;
  readonly parent?: string;
  readonly name?: string;
  /** What the tool returned as data, beside the text that the model sees. */
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
    revision: 0,
  };
}

/** Another session in the same stream begins with nothing known. */
export function enterSession(state: ClaudeState, session: string | undefined): void {
  if (state.fixed || session === undefined || session === state.session) return;
  if (state.session !== "") {
    state.agents = [];
    state.awaited = [];
    state.calls = [];
    state.children = [];
    state.tasks = [];
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

export function aboutOf({ agent, at }: Line, key: string | undefined): About {
  return { agentId: agent, key, at };
}

/** Answers to open calls, whoever speaks first, and the mode after planning. */
export function wanted(state: ClaudeState): readonly string[] {
  const { started, planning } = recall(state.agents, state.agent) ?? {};
  const ids = state.awaited.map((pair) => pair[0]);
  const found = [...answersTo(ids, "tool_use_id")];
  if (!started) found.push('"model"');
  if (planning) found.push('"permissionMode"');
  return found;
}
