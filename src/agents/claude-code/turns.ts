import type { Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { aboutOf, agentOf, type ClaudeState, type Line } from "./state.ts";

const MAX_TEXT = 500;

/** Said once per agent, with the first record that names its model. */
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
      // Messages that the program made up itself name no real model.
      ...(model !== "<synthetic>" && { model }),
      ...(version !== undefined && { version }),
      ...(parentId !== undefined && { parentId }),
      ...(line.name !== undefined && { name: line.name }),
    },
    aboutOf(line, "start"),
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
  const said = prompt ?? agent.prompt;
  agent.turn = true;
  delete agent.prompt;
  delete agent.endedBy;
  emit(
    { type: "turn.started", ...(said !== undefined && { prompt: shorten(said, MAX_TEXT) }) },
    aboutOf(line, line.uuid),
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
    aboutOf(line, key),
  );
}

export function cancelTurn(state: ClaudeState, line: Line, emit: Emit): void {
  if (closeTurn(state, line)) emit({ type: "turn.cancelled" }, aboutOf(line, line.uuid));
}

function closeTurn(state: ClaudeState, line: Line): boolean {
  const agent = agentOf(state, line.agent);
  const open = agent.turn === true;
  delete agent.turn;
  return open;
}

/** What stands in a person's place without being a prompt. */
const ECHO = /^<(?:local-command-|bash-|task-notification|system-reminder)/;

export function readPrompt(state: ClaudeState, line: Line, said: string, emit: Emit): void {
  if (said.startsWith("[Request interrupted by user")) cancelTurn(state, line, emit);
  else if (ECHO.test(said)) return;
  else if (/^<command-(?:name|message)>/.test(said)) {
    // Some commands are the program's own and begin no turn: the first answer will tell.
    agentOf(state, line.agent).prompt = commandOf(said);
  } else startTurn(state, line, said, emit);
}

function commandOf(said: string): string {
  const name = /<command-name>([^<]*)</.exec(said)?.[1]?.trim() ?? "";
  const rest = /<command-args>([^<]*)</.exec(said)?.[1]?.trim() ?? "";
  return shorten(`${name} ${rest}`.trim(), MAX_TEXT);
}
