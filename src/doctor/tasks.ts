import { redactUrl } from "../core/text/redact.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { Context } from "../home/open.ts";
import { trackOfOwner } from "../sessions/caller/session.ts";
import type { TaskCounts } from "../tasks/store.ts";

/** A task with its current or last owner. */
export interface TaskOwner {
  readonly id: string;
  readonly owner: string;
}

/** The state of the task store. */
export type TasksCheck =
  | {
      /** Its location: a directory, or the URL of a server without credentials. */
      readonly store: string;
      readonly counts: TaskCounts;
      /** Tasks whose lease expired, with their last owners. */
      readonly lapsed: readonly TaskOwner[];
      /** Claimed tasks whose owners have no session on this machine: only the owners' own calls renew them. */
      readonly strangers: readonly TaskOwner[];
    }
  | { readonly problem: string };

const MAX_LISTED = 20;

/** Undefined if there are no tasks. */
export async function checkTasks(
  { home, env }: Pick<Context, "home" | "env">,
  sessions: ReadonlySet<string>,
): Promise<TasksCheck | undefined> {
  const server = env.WAYMARK_STORE || undefined;
  if (!server && !home.exists()) return undefined;
  try {
    const store = await home.tasks("reading");
    const counts = await store.counts();
    const { ready, ...stands } = counts;
    if (Object.values(stands).every((count) => count === 0)) return undefined;
    const hosted = await (await home.reading()).tracks();
    const known = new Set([...sessions, ...hosted.map(({ session }) => session)]);
    const claimed = await store.list({ status: "claimed", limit: 1_000 });
    const open = await store.list({ status: "open", limit: 10_000 });
    const isStranger = (owner: string) => !known.has(trackOfOwner(owner)?.session ?? "");
    return {
      store: server ? redactUrl(server) : home.path,
      counts,
      lapsed: open
        .flatMap(({ id, lapsed }) => (lapsed ? [{ id, owner: lapsed.owner }] : []))
        .slice(0, MAX_LISTED),
      strangers: claimed
        .flatMap(({ id, owner = "" }) => (isStranger(owner) ? [{ id, owner }] : []))
        .slice(0, MAX_LISTED),
    };
  } catch (error) {
    return { problem: redactedMessage(error) };
  }
}
