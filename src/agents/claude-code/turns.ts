import type { Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { agentOf, type ClaudeState, contextOf, type Line } from "./state.ts";

const MAX_TEXT = 500;

/** Emits the start once per agent, with the first record that names its model. */
export function startSession(
  state: ClaudeState,
  line: Line,
  model: string | undefined,
  emit: Emit,
): void {
  const agent = agentOf(state, line.agent);
  if (agent.started || model === undefined) return;
  agent.started = true;
  const { cwd, version } = state;
  const parentId = line.agent === "main" ? undefined : (line.parent ?? state.parent);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      // Generated messages name no real model.
      ...(model !== "<synthetic>" && { model }),
      ...(version !== undefined && { version }),
      ...(parentId !== undefined && { parentId }),
      ...(line.name !== undefined && { name: line.name }),
    },
    contextOf(line, "start"),
  );
}

export function startTurn(
  state: ClaudeState,
  line: Line,
  prompt: string | undefined,
  emit: Emit,
): void {
  const agent = agentOf(state, line.agent);
  if (agent.turn && prompt === undefined) return;
  const started = prompt ?? agent.prompt;
  agent.turn = true;
  delete agent.prompt;
  delete agent.endedBy;
  emit(
    { type: "turn.started", ...(started !== undefined && { prompt: shorten(started, MAX_TEXT) }) },
    contextOf(line, line.uuid),
  );
}

export function endTurn(
  state: ClaudeState,
  line: Line,
  failure: string | undefined,
  key: string | undefined,
  emit: Emit,
): void {
  if (!closeTurn(state, line)) return;
  emit(
    failure === undefined
      ? { type: "turn.completed" }
      : { type: "turn.failed", message: shorten(failure, MAX_TEXT) },
    contextOf(line, key),
  );
}

export function cancelTurn(state: ClaudeState, line: Line, emit: Emit): void {
  if (closeTurn(state, line)) emit({ type: "turn.cancelled" }, contextOf(line, line.uuid));
}

function closeTurn(state: ClaudeState, line: Line): boolean {
  const agent = agentOf(state, line.agent);
  const open = agent.turn === true;
  delete agent.turn;
  return open;
}

/** User messages that are not prompts. */
const ECHO = /^<(?:local-command-|bash-|task-notification|system-reminder)/;

export function readPrompt(state: ClaudeState, line: Line, prompt: string, emit: Emit): void {
  if (prompt.startsWith("[Request interrupted by user")) cancelTurn(state, line, emit);
  else if (ECHO.test(prompt)) return;
  else if (/^<command-(?:name|message)>/.test(prompt)) {
    // Built-in commands start no turn. Only an answer of the model shows that one started.
    agentOf(state, line.agent).prompt = commandOf(prompt);
  } else startTurn(state, line, prompt, emit);
}

function commandOf(prompt: string): string {
  const name = /<command-name>([^<]*)</.exec(prompt)?.[1]?.trim() ?? "";
  const rest = /<command-args>([^<]*)</.exec(prompt)?.[1]?.trim() ?? "";
  return shorten(`${name} ${rest}`.trim(), MAX_TEXT);
}
