import type { Decoder, DecoderState, Emit } from "../agent.ts";
import { hashOf, type Memory, recall, remember } from "../common/memory.ts";
import { type Fields, fields, type ItemShape, list, text } from "../common/values.ts";
import { decoderOf } from "../table/decoder.ts";
import { type RowState, startState } from "../table/state.ts";
import { identity } from "./identity.ts";

const ITEM: ItemShape = { text: ["content"] };

/** Messages, and the states and updates of a graph, which have the list under the key `todos`. */
const plain = decoderOf({
  ...identity,
  format: "langchain",
  tools: ["write_todos"],
  list: { args: "todos", kind: "items", item: ITEM },
  snapshots: [
    { when: { todos: "*", messages: "*" }, list: "todos", kind: "items", item: ITEM },
    { when: { "tools.todos": "*" }, list: "tools.todos", kind: "items", item: ITEM },
  ],
});

/** How many messages of a state are scored. */
const MAX_SCORED = 200;

interface LangchainState extends DecoderState {
  /** The states by graph. A subagent is a graph inside the call that started it. */
  graphs: Memory<RowState>;
}

/**
 * Reads messages and what `stream` of a graph yields: its state, an update, or an array of namespace, mode and
 * either of the two, depending on the options.
 */
export const langchain: Decoder<LangchainState> = {
  ...identity,
  needles: [],
  score: (record) => {
    const { data } = chunkOf(record);
    const inner = messageOf(data) ?? data;
    return Math.max(
      ...[inner, ...messagesIn(data).slice(0, MAX_SCORED).map(messageOf)].map((value) =>
        plain.score(value),
      ),
    ) as 0 | 1 | 2;
  },
  start: ({ session = "" }) => ({ session, graphs: [] }),
  read: (state, record, emit) => {
    const { data, agent } = chunkOf(record);
    if (!data) return;
    let graph = recall(state.graphs, agent);
    const isMain = agent === "main";
    const own: Emit = isMain ? emit : (body, context) => emit(body, { agentId: agent, ...context });
    if (!graph) {
      graph = startState({ kind: "stream", session: state.session });
      remember(state.graphs, agent, graph);
      if (!isMain) own({ type: "session.started", parentId: "main" }, { key: "start" });
    }
    readChunk(graph, data, own);
  },
};

function readChunk(state: RowState, data: Fields, emit: Emit): void {
  const message = messageOf(data);
  if (message) {
    readMessage(state, message, emit);
    return;
  }
  for (const [index, value] of messagesIn(data).entries()) {
    const each = messageOf(value);
    if (!each) continue;
    // A state has all messages so far.
    const key = `message ${text(each.id) ?? `${index} ${hashOf(each)}`}`;
    if (recall(state.done, key) !== undefined) continue;
    remember(state.done, key, "");
    readMessage(state, each, emit);
  }
  // The state of a new graph has an empty list.
  const isNew = state.known.length === 0 && recall(state.done, "snapshots") === undefined;
  if (!isNew || (list(data.todos)?.length ?? 1) > 0) plain.read(state, data, emit);
}

function readMessage(state: RowState, message: Fields, emit: Emit): void {
  plain.read(state, message, emit);
  if (message.type === "ai" && text(message.content) && !list(message.tool_calls)?.length)
    emit({ type: "turn.completed" }, { key: text(message.id) });
}

interface Chunk {
  readonly data: Fields | undefined;
  readonly agent: string;
}

function chunkOf(record: unknown): Chunk {
  const chunk = list(record);
  const namespace = list(chunk?.[0])?.flatMap((name) => text(name) ?? []);
  return { data: fields(chunk ? chunk.at(-1) : record), agent: namespace?.join("|") || "main" };
}

/** The messages of a state, or of the updates by node. */
function messagesIn(data: Fields | undefined): readonly unknown[] {
  if (!data) return [];
  const own = list(data.messages);
  return own ?? Object.values(data).flatMap((node) => list(fields(node)?.messages) ?? []);
}

const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  ToolMessage: "tool",
};

/** A message in any of the ways in which it is stored. */
function messageOf(value: unknown): Fields | undefined {
  const given = fields(value);
  const inner = fields(given?.kwargs) ?? fields(given?.data) ?? given;
  const type = text(inner?.type) ?? text(given?.type);
  const name = text(list(given?.id)?.at(-1)) ?? "";
  const known = Object.hasOwn(TYPES, name) ? TYPES[name] : type;
  return inner && /^(?:human|ai|tool)$/.test(known ?? "") ? { ...inner, type: known } : undefined;
}
