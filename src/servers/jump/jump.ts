/** servers/jump: finds the terminal of an agent and focuses it, or says how to continue the session. */
import { identityOf } from "../../agents/identities.ts";
import {
  type AgentPane,
  type JumpAnswer,
  type PanesResponse,
  resumeOf,
  TERMINAL_PROGRAMS,
} from "../../core/jump.ts";
import { cutGraphemes } from "../../core/text/escape.ts";
import { redactMessage } from "../../core/text/redact.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { machineOfSession } from "../../core/views/relayed.ts";
import { type AgentProcess, agentProcesses } from "../../sessions/caller/running.ts";
import { findOnPath } from "../../setup/installed.ts";
import { type FocusablePane, openPanes } from "../../terminals/panes.ts";

export interface JumpCall {
  /** Waymark's directory, in which hooks record processes. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** All sessions: another one in the same directory makes a guess uncertain. */
  tracks(): readonly MergedTrack[];
}

interface Located {
  readonly panes: readonly FocusablePane[];
  /** The only pane is that of the session. */
  readonly isCertain: boolean;
  /** The agent's process, if it certainly is one and no pane was found. */
  readonly running?: AgentProcess | undefined;
}

const MAX_COMMAND = 80;

async function locate({ home, env, tracks }: JumpCall, merged: MergedTrack): Promise<Located> {
  const { session, agentType, cwd } = merged.track;
  const found = agentProcesses(home, { session, agentType, cwd });
  const finder = openPanes(env);
  const panes = new Map<string, FocusablePane>();
  const processes = new Map<string, AgentProcess>();
  for (const each of found) {
    const pane = await finder.paneOf(each);
    if (!pane || panes.has(pane.key)) continue;
    // Where the system does not tell the directory of a process, that of the pane decides.
    const isElsewhere = each.cwd === undefined && pane.cwd !== undefined && pane.cwd !== cwd;
    if (!each.isCertain && isElsewhere) continue;
    const command = cutGraphemes(redactMessage(each.words.join(" ").trim()), MAX_COMMAND);
    const where = each.cwd ?? pane.cwd;
    panes.set(pane.key, { ...pane, command, ...(where !== undefined && { cwd: where }) });
    processes.set(pane.key, each);
  }
  const [only] = processes.values();
  return {
    panes: [...panes.values()],
    isCertain: panes.size === 1 && only !== undefined && isOf(only, merged, tracks()),
    running: found.find(({ isCertain }) => isCertain),
  };
}

/** Whether a process certainly works on a session: it is known, or no other session of the agent was active since it started. */
function isOf(process: AgentProcess, merged: MergedTrack, tracks: readonly MergedTrack[]): boolean {
  if (process.isCertain) return true;
  const since = process.startedAt;
  if (since === undefined || merged.updatedAt < since) return false;
  const { session, agentType, cwd } = merged.track;
  return !tracks.some(
    ({ track, updatedAt, machine }) =>
      machine === undefined &&
      track.session !== session &&
      track.agentType === agentType &&
      track.cwd === cwd &&
      updatedAt >= since,
  );
}

function withoutFocus({ focus: _, ...pane }: FocusablePane): AgentPane {
  return pane;
}

/** Focuses the pane of a session's agent, or the one that the user chose from an earlier answer. */
export async function jumpTo(
  call: JumpCall,
  merged: MergedTrack,
  chosen?: string,
): Promise<JumpAnswer> {
  if (merged.machine !== undefined) return elsewhere(merged, merged.machine);
  const { panes, isCertain, running } = await locate(call, merged);
  const pane =
    chosen === undefined
      ? isCertain
        ? panes[0]
        : undefined
      : panes.find(({ key }) => key === chosen);
  if (pane) {
    const focused = await pane.focus();
    if (focused?.type === "focused")
      return {
        type: "went",
        pane: withoutFocus(pane),
        ...(focused.back && { back: focused.back }),
      };
    if (focused) return { type: "detached", pane: withoutFocus(pane), attach: focused.attach };
    return none(call, merged, running);
  }
  if (panes.length > 0) return { type: "choose", panes: panes.map(withoutFocus) };
  return none(call, merged, running);
}

/** Where a session's agent runs, without focusing anything. */
export async function panesOf(call: JumpCall, merged: MergedTrack): Promise<PanesResponse> {
  if (merged.machine !== undefined) return { panes: [], isCertain: false };
  const { panes, isCertain } = await locate(call, merged);
  return { panes: panes.map(withoutFocus), isCertain };
}

function none(
  { env }: JumpCall,
  merged: MergedTrack,
  running: AgentProcess | undefined,
): JumpAnswer {
  const path = env.PATH ?? "";
  const asked = TERMINAL_PROGRAMS.filter(
    (program) => findOnPath(program, path, process.platform) !== undefined,
  );
  const resume = resumeOf(merged, identityOf(merged.track.agentType)?.resumeCommand);
  return {
    type: "none",
    asked,
    ...(running && {
      running: { pid: running.pid, ...(running.tty !== undefined && { terminal: running.tty }) },
    }),
    ...(resume && { resume }),
  };
}

function elsewhere(merged: MergedTrack, machine: string): JumpAnswer {
  const session = machineOfSession(merged.track.session)?.session ?? merged.track.session;
  const { agentType } = merged.track;
  const resume = resumeOf(
    { track: { ...merged.track, session } },
    identityOf(agentType)?.resumeCommand,
  );
  return { type: "none", asked: [], machine, ...(resume && { resume }) };
}
