import { MAIN_AGENT } from "../text/ids.ts";
import type { MergedTrack } from "../views/merged.ts";
import { titleOf } from "../views/title.ts";
import type { UseKind } from "./collision.ts";
import { COLLISION_POLICY, fileUses } from "./uses.ts";

/** An agent that uses a file. */
export interface FileUser {
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  /** The name of a subagent. */
  readonly name?: string;
  readonly title: string;
  readonly how: UseKind;
  readonly at: number;
}

/** A file that agents use. Paths are external text: encode them for their sink. */
export interface UsedFile {
  readonly path: string;
  readonly directory: string;
  /** The machine that relays the sessions; absent for this machine. */
  readonly machine?: string;
  /** The most recent first. */
  readonly users: readonly FileUser[];
  /** At least two sessions use it, and one of them edits it. */
  readonly isShared: boolean;
}

/** The files that live agents edited, are editing or name in their current todos; the last used first. */
export function usedFiles(
  tracks: readonly MergedTrack[],
  now: number,
  window: number = COLLISION_POLICY.window,
): readonly UsedFile[] {
  const files = new Map<string, UsedFile>();
  for (const merged of tracks) {
    const { track, machine } = merged;
    const { todos, cwd } = track;
    const activity = merged.activity ?? track.activity;
    // Of thousands of sessions, few were active a short time ago.
    if (merged.state === "ended" || now - (activity?.lastAt ?? 0) >= window) continue;
    for (const use of fileUses(
      { todos, ...(cwd !== undefined && { cwd }), ...(activity && { activity }) },
      now,
      window,
    )) {
      const key = JSON.stringify([machine, use.path]);
      const known = files.get(key);
      const users = [...(known?.users ?? []), userOf(merged, use)].sort((a, b) => b.at - a.at);
      files.set(key, {
        path: use.path,
        directory: known?.directory ?? activity?.cwd ?? cwd ?? "",
        ...(machine !== undefined && { machine }),
        users,
        isShared: isShared(users),
      });
    }
  }
  // A file that is only named in a todo is listed if another agent edits it.
  return [...files.values()]
    .filter(({ users }) => users.some(({ how }) => how !== "listed"))
    .sort((a, b) => (b.users[0]?.at ?? 0) - (a.users[0]?.at ?? 0));
}

function isShared(users: readonly FileUser[]): boolean {
  const sessions = new Set(users.map(({ session }) => session));
  return sessions.size > 1 && users.some(({ how }) => how !== "listed");
}

function userOf(merged: MergedTrack, { how, at }: { readonly how: UseKind; readonly at: number }) {
  const { session, agent, agentType } = merged.track;
  const name = merged.name ?? (agent === MAIN_AGENT ? undefined : agent);
  return {
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    ...(name !== undefined && { name }),
    title: titleOf(merged),
    how,
    at,
  };
}
