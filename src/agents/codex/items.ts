import { type Fields, fields, list, number, outputText, text } from "../common/values.ts";
import { sayProposed, sayRefused, splitProposal } from "./plan.ts";
import {
  type CodexState,
  keep,
  kept,
  newThread,
  type Say,
  type Speaker,
  shortened,
  type Thread,
  take,
} from "./state.ts";
import { isWaymark, sayTodos } from "./waymark.ts";

export type Phase = "started" | "updated" | "completed";

/**
 * An item of a turn. The three forms spell the same things as `mcp_tool_call`, `mcpToolCall` and
 * `McpToolCall`; the names of their fields differ in the same way.
 */
export function readItem(state: CodexState, thread: Thread, item: Fields, phase: Phase, say: Say) {
  const id = text(item.id) ?? "";
  switch (kindOf(item)) {
    case "commandexecution":
      return readTool(state, thread, id, phase, "exec_command", commandInput(item), item, say);
    case "filechange":
      return readTool(state, thread, id, phase, "apply_patch", changesInput(item), item, say);
    case "mcptoolcall":
      return readMcp(state, thread, id, item, phase, say);
    case "collabtoolcall":
    case "collabagenttoolcall":
      return readTool(state, thread, id, phase, toolName(item), collabInput(item), item, say);
    case "websearch":
      return readTool(state, thread, id, phase, "web_search", { query: item.query }, item, say);
    case "plan":
      if (phase === "completed") sayProposed(thread, id, item.text, say);
      return;
    case "agentmessage":
      if (phase === "completed") sayMessage(thread, id, messageText(item), say);
      return;
    case "usermessage":
      if (phase === "completed") sayPrompt(thread, id, messageText(item), say);
      return;
    case "contextcompaction":
      if (phase === "completed") say({ type: "session.compacted" }, id);
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
  say: Say,
) {
  const key = `${thread.agent}:${id}`;
  const open = kept(state.open, key);
  if (open?.kind === "ended") {
    take(state.open, key);
    return;
  }
  if (!open) {
    // A session file has no line for the start of what a script or another tool did.
    say({ type: "tool.started", callId: id, name, input }, id);
    if (phase !== "completed") keep(state.open, key, { kind: "tool", name });
  }
  if (phase !== "completed") return;
  take(state.open, key);
  const output = outputOf(item);
  const exitCode = number(item.exit_code) ?? number(item.exitCode);
  const failed = hasFailed(item) || (exitCode !== undefined && exitCode !== 0);
  say(
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
  say: Say,
) {
  if (!isWaymark(item.server, item.tool)) {
    const name = `mcp__${text(item.server) ?? "server"}__${toolName(item)}`;
    return readTool(state, thread, id, phase, name, item.arguments, item, say);
  }
  if (phase !== "completed") return;
  take(state.open, `${thread.agent}:${id}`);
  const result = fields(item.result);
  const answer = fields(result?.structured_content) ?? fields(result?.structuredContent);
  if (hasFailed(item) || !answer) return sayRefused(outputOf(item), say);
  sayTodos(thread, answer, id, say);
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
  const words = parts.filter((part) => typeof part === "string");
  // The shell and its option say nothing of what was run.
  const command = words.length === 3 && /^-\w*c$/.test(words[1] ?? "") ? words[2] : words.join(" ");
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
    ...(prompt !== undefined && { prompt: shortened(prompt) }),
  };
}

function receivers(item: Fields): readonly string[] {
  const ids = list(item.receiver_thread_ids) ?? list(item.receiverThreadIds) ?? [];
  return ids.filter((id) => typeof id === "string" && id !== "") as string[];
}

/** The subagents that a finished spawn has made. */
export function spawned(item: Fields): readonly string[] {
  return isSpawn(item) ? receivers(item) : [];
}

export function isSpawn(item: Fields): boolean {
  return kindOf(item).startsWith("collab") && /^spawn_?agent$/i.test(toolName(item));
}

/** A subagent becomes known by the call that started it. */
export function openChild(parent: Speaker, id: string): Thread {
  return { ...newThread(parent.session, id), facts: { parentId: parent.agent } };
}

function toolName(item: Fields): string {
  return text(item.tool) ?? "tool";
}

export function messageText(item: Fields): string {
  const parts = list(item.content) ?? [];
  return text(item.text) ?? parts.map((part) => text(fields(part)?.text) ?? "").join("\n");
}

export function sayMessage(thread: Thread, id: string, said: string, say: Say) {
  const { plan, rest } = splitProposal(said);
  if (rest.trim() !== "")
    say({ type: "message", role: "assistant", text: shortened(rest.trim()) }, id || undefined);
  if (plan !== undefined) sayProposed(thread, proposalId(thread, id), plan, say);
}

/** The id that Codex itself gives to the plan of a turn, where the turn is known. */
export function proposalId(thread: Thread, message: string): string | undefined {
  return thread.turn?.id === undefined ? message || undefined : `${thread.turn.id}-plan`;
}

/** A turn begins with what a person asks; what is said into a running turn is a message. */
export function sayPrompt(thread: Thread, id: string, said: string, say: Say) {
  const prompt = shortened(said.trim());
  const turn = thread.turn ?? { prompted: false };
  thread.turn = turn;
  if (turn.prompted) {
    if (prompt !== "") say({ type: "message", role: "user", text: prompt }, id || undefined);
    return;
  }
  turn.prompted = true;
  say({ type: "turn.started", ...(prompt !== "" && { prompt }) }, turn.id ?? (id || undefined));
}
