import { type Fields, fields, list, number, outputText, text } from "../common/values.ts";
import { emitProposed, emitRejected, splitProposal } from "./plan.ts";
import {
  type CodexState,
  get,
  newThread,
  put,
  shorten,
  type Thread,
  type ThreadEmit,
  type ThreadRef,
  take,
} from "./state.ts";
import { emitTodos, isWaymarkTool } from "./waymark.ts";

export type Phase = "started" | "updated" | "completed";

/**
 * Reads an item of a turn. The three formats spell types as `mcp_tool_call`, `mcpToolCall` and `McpToolCall`, and
 * their fields accordingly.
 */
export function readItem(
  state: CodexState,
  thread: Thread,
  item: Fields,
  phase: Phase,
  send: ThreadEmit,
) {
  const id = text(item.id) ?? "";
  switch (kindOf(item)) {
    case "commandexecution":
      return readTool(state, thread, id, phase, "exec_command", commandInput(item), item, send);
    case "filechange":
      return readTool(state, thread, id, phase, "apply_patch", changesInput(item), item, send);
    case "mcptoolcall":
      return readMcp(state, thread, id, item, phase, send);
    case "collabtoolcall":
    case "collabagenttoolcall":
      return readTool(state, thread, id, phase, toolName(item), collabInput(item), item, send);
    case "websearch":
      return readTool(state, thread, id, phase, "web_search", { query: item.query }, item, send);
    case "plan":
      if (phase === "completed") emitProposed(thread, id, item.text, send);
      return;
    case "agentmessage":
      if (phase === "completed") emitMessage(thread, id, messageText(item), send);
      return;
    case "usermessage":
      if (phase === "completed") emitPrompt(thread, id, messageText(item), send);
      return;
    case "contextcompaction":
      if (phase === "completed") send({ type: "session.compacted" }, id);
  }
}

export function kindOf(item: Fields): string {
  return (text(item.type) ?? "").replaceAll("_", "").toLowerCase();
}

function readTool(
  state: CodexState,
  thread: Thread,
  id: string,
  phase: Phase,
  name: string,
  input: unknown,
  item: Fields,
  send: ThreadEmit,
) {
  const key = `${thread.agent}:${id}`;
  const open = get(state.open, key);
  if (open?.kind === "ended") {
    take(state.open, key);
    return;
  }
  if (!open) {
    // Session files have no line for the start of calls that a script or another tool made.
    send({ type: "tool.started", callId: id, name, input }, id);
    if (phase !== "completed") put(state.open, key, { kind: "tool", name });
  }
  if (phase !== "completed") return;
  take(state.open, key);
  const output = outputOf(item);
  const exitCode = number(item.exit_code) ?? number(item.exitCode);
  const failed = hasFailed(item) || (exitCode !== undefined && exitCode !== 0);
  send(
    {
      type: failed ? "tool.failed" : "tool.completed",
      callId: id,
      name: open?.name ?? name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    id,
  );
}

function readMcp(
  state: CodexState,
  thread: Thread,
  id: string,
  item: Fields,
  phase: Phase,
  send: ThreadEmit,
) {
  if (!isWaymarkTool(item.server, item.tool)) {
    const name = `mcp__${text(item.server) ?? "server"}__${toolName(item)}`;
    return readTool(state, thread, id, phase, name, item.arguments, item, send);
  }
  if (phase !== "completed") return;
  take(state.open, `${thread.agent}:${id}`);
  const result = fields(item.result);
  const answer = fields(result?.structured_content) ?? fields(result?.structuredContent);
  if (hasFailed(item) || !answer) return emitRejected(outputOf(item), send);
  emitTodos(thread, answer, id, send);
}

function hasFailed(item: Fields): boolean {
  const status = text(item.status);
  return (
    status === "failed" ||
    status === "declined" ||
    status === "interrupted" ||
    fields(item.error) !== undefined ||
    fields(item.result)?.isError === true
  );
}

function outputOf(item: Fields): string | undefined {
  const result = fields(item.result);
  return (
    outputText(item.aggregated_output) ??
    outputText(item.aggregatedOutput) ??
    text(fields(item.error)?.message)?.slice(0, 2_000) ??
    outputText(result?.content) ??
    outputText(item.stdout)
  );
}

function commandInput(item: Fields): unknown {
  const parts = list(item.command);
  if (!parts) return { command: item.command };
  const strings = parts.filter((part) => typeof part === "string");
  // Omit the shell and its option.
  const command =
    strings.length === 3 && /^-\w*c$/.test(strings[1] ?? "") ? strings[2] : strings.join(" ");
  return { command };
}

function changesInput(item: Fields): unknown {
  const map = fields(item.changes);
  if (map)
    return {
      changes: Object.entries(map).map(([path, how]) => ({ path, kind: fields(how)?.type })),
    };
  return { changes: item.changes };
}

function collabInput(item: Fields): unknown {
  const prompt = text(item.prompt);
  return {
    agents: receivers(item),
    ...(prompt !== undefined && { prompt: shorten(prompt) }),
  };
}

function receivers(item: Fields): readonly string[] {
  const ids = list(item.receiver_thread_ids) ?? list(item.receiverThreadIds) ?? [];
  return ids.filter((id) => typeof id === "string" && id !== "") as string[];
}

/** The ids of the subagents that a finished call spawned. */
export function spawned(item: Fields): readonly string[] {
  return isSpawn(item) ? receivers(item) : [];
}

export function isSpawn(item: Fields): boolean {
  return kindOf(item).startsWith("collab") && /^spawn_?agent$/i.test(toolName(item));
}

/** Creates the thread of a subagent from the call that started it. */
export function openChild(parent: ThreadRef, id: string): Thread {
  return { ...newThread(parent.session, id), facts: { parentId: parent.agent } };
}

function toolName(item: Fields): string {
  return text(item.tool) ?? "tool";
}

export function messageText(item: Fields): string {
  const parts = list(item.content) ?? [];
  return text(item.text) ?? parts.map((part) => text(fields(part)?.text) ?? "").join("\n");
}

export function emitMessage(thread: Thread, id: string, content: string, send: ThreadEmit) {
  const { plan, rest } = splitProposal(content);
  if (rest.trim() !== "")
    send({ type: "message", role: "assistant", text: shorten(rest.trim()) }, id || undefined);
  if (plan !== undefined) emitProposed(thread, proposalId(thread, id), plan, send);
}

/** The id of a proposed plan: the one that Codex derives from the turn, or the id of the message. */
export function proposalId(thread: Thread, message: string): string | undefined {
  return thread.turn?.id === undefined ? message || undefined : `${thread.turn.id}-plan`;
}

/** The first prompt starts a turn; a prompt during a turn is a message. */
export function emitPrompt(thread: Thread, id: string, content: string, send: ThreadEmit) {
  const prompt = shorten(content.trim());
  const turn = thread.turn ?? { prompted: false };
  thread.turn = turn;
  if (turn.prompted) {
    if (prompt !== "") send({ type: "message", role: "user", text: prompt }, id || undefined);
    return;
  }
  turn.prompted = true;
  send({ type: "turn.started", ...(prompt !== "" && { prompt }) }, turn.id ?? (id || undefined));
}
