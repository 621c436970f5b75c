import { emptyActivity } from "../activity/activity.ts";
import type { Live } from "../stream/fold.ts";
import type { MergedTrack } from "./merged.ts";

/** A track as a machine tells others of it: what is shown, and nothing that only judging needs. */
export interface Relayed {
  readonly live: Live;
  readonly updatedAt: number;
}

/** A track of another machine, as it arrived; its times are those of the clock here. */
export interface Arrived extends Relayed {
  /** What the machine is called; no two are called the same. */
  readonly machine: string;
}

/** Under another machine's name the same session is another one. */
export function relayedSession(session: string, machine: string): string {
  return `${session}@${machine}`;
}

/** The session and the machine that such a name means. */
export function machineOfSession(
  name: string,
): { readonly session: string; readonly machine: string } | undefined {
  const place = name.lastIndexOf("@");
  if (place < 1 || place === name.length - 1) return undefined;
  return { session: name.slice(0, place), machine: name.slice(place + 1) };
}

const MACHINE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What is wrong with the name of a machine, in words. */
export function checkMachine(name: string): string | undefined {
  if (MACHINE.test(name)) return undefined;
  return 'The name of a machine holds up to 63 letters, digits, ".", "_" and "-", and starts with a letter or digit.';
}

/** What others are told of a track. Inputs and outputs of tools are in none of it. */
export function relayedOf(joined: MergedTrack, live: Live | undefined): Relayed {
  const { activity: _, guide: __, plan: ___, ...track } = joined.track;
  const { activity = emptyActivity(), plan, name, prompt } = joined;
  const { toldLoop: _told, stalledAt: _stalled, left: _left, ...seen } = activity;
  return {
    live: {
      session: track.session,
      agent: track.agent,
      agentType: track.agentType ?? "",
      track: { ...track, unseen: [], unseenOrder: false },
      activity: {
        ...seen,
        calls: [],
        open: seen.open.map(({ signature: _signature, check: _check, ...call }) => ({
          ...call,
          signature: "",
        })),
      },
      ...(plan && { plan }),
      ...(name !== undefined && { name }),
      ...(prompt !== undefined && { prompt }),
      ...(live?.model !== undefined && { model: live.model }),
      ...(live?.version !== undefined && { version: live.version }),
      ended: live?.ended ?? joined.state === "ended",
      compactions: live?.compactions ?? 0,
      skipped: {},
    },
    updatedAt: joined.updatedAt,
  };
}
