import { emptyActivity } from "../activity/activity.ts";
import type { Todo } from "../model.ts";
import type { LiveTrack } from "../stream/fold.ts";
import type { MergedTrack } from "./merged.ts";

/** A track as a machine relays it: what surfaces show, without data that only rules need. */
export interface RelayPayload {
  readonly live: LiveTrack;
  readonly updatedAt: number;
}

/** A track received from another machine, with its times converted to the local clock. */
export interface ReceivedTrack extends RelayPayload {
  /** The unique name of the machine. */
  readonly machine: string;
}

/** The name of a session of another machine: `SESSION@MACHINE`. */
export function relayedSession(session: string, machine: string): string {
  return `${session}@${machine}`;
}

/** Splits `SESSION@MACHINE`. */
export function machineOfSession(
  name: string,
): { readonly session: string; readonly machine: string } | undefined {
  const index = name.lastIndexOf("@");
  if (index < 1 || index === name.length - 1) return undefined;
  return { session: name.slice(0, index), machine: name.slice(index + 1) };
}

const MACHINE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Validates a machine name. Returns the problem, or undefined if the name is valid. */
export function checkMachine(name: string): string | undefined {
  if (MACHINE.test(name)) return undefined;
  return 'A machine name has up to 63 letters, digits, ".", "_" and "-", and starts with a letter or digit.';
}

/** The output of a check stays on its machine: it may contain anything. */
function withoutOutput(todo: Todo): Todo {
  return todo.proof ? { ...todo, proof: { ...todo.proof, output: "" } } : todo;
}

/** The part of a track that is relayed. It has no inputs or outputs of tools. */
export function relayedTrackOf(merged: MergedTrack, live: LiveTrack | undefined): RelayPayload {
  const { activity: _, guide: __, plan: ___, usage: ____, ...track } = merged.track;
  const { activity = emptyActivity(), plan, name, prompt, usage } = merged;
  const { toldLoop: _told, stalledAt: _stalled, left: _left, ...seen } = activity;
  return {
    live: {
      session: track.session,
      agent: track.agent,
      agentType: track.agentType ?? "",
      track: { ...track, todos: track.todos.map(withoutOutput), unseen: [], unseenOrder: false },
      activity: {
        ...seen,
        calls: [],
        open: seen.open.map(({ signature: _signature, check: _check, ...call }) => ({
          ...call,
          signature: "",
        })),
      },
      ...(plan && { plan }),
      ...(usage && { usage }),
      ...(name !== undefined && { name }),
      ...(prompt !== undefined && { prompt }),
      ...(live?.model !== undefined && { model: live.model }),
      ...(live?.version !== undefined && { version: live.version }),
      ended: live?.ended ?? merged.state === "ended",
      compactions: live?.compactions ?? 0,
      skipped: {},
    },
    updatedAt: merged.updatedAt,
  };
}
